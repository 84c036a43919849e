// Asks Vat.hlsl where vertices are. Slang makes C++ of it, which Cpu.cpp runs: the shaders' arithmetic without a GPU.
#include "Packages/com.unity.render-pipelines.universal/ShaderLibrary/Core.hlsl"
#define VAT_MODEL UNITY_MATRIX_M
#define VAT_LAST_MODEL UNITY_PREV_MATRIX_M
#include "Vat.hlsl"

struct Asked
{
    VatInstance instance;
    // The same, as the properties of a renderer have it.
    float4 properties[3];
    float4 rest;
    float2 column;
    uint now;
    uint unused;
};

StructuredBuffer<Asked> asked;
RWStructuredBuffer<float4> answers;

[numthreads(1, 1, 1)]
void ask(uint3 id : SV_DispatchThreadID)
{
    Asked a = asked[id.x];
    VatVertex vertex = vat_unity_vertex(a.instance, a.column, a.now, a.rest.xyz);
    VatInstance same = vat_unity_instance_of(a.properties[0], a.properties[1], a.properties[2]);
    float3 position = vat_unity_position(same, a.column, a.now, a.rest.xyz);
    answers[3 * id.x] = float4(vertex.position, 1.0);
    answers[3 * id.x + 1] = float4(vertex.normal, 0.0);
    answers[3 * id.x + 2] = float4(position, 1.0);
}
