// A stand-in: see ShaderVariables.hlsl.
#ifndef STAND_IN_HDRP_NORMALS
#define STAND_IN_HDRP_NORMALS

struct NormalData
{
    float3 normalWS;
    float perceptualRoughness;
};

void EncodeIntoNormalBuffer(NormalData data, out float4 buffer)
{
    buffer = float4(data.normalWS * 0.5 + 0.5, data.perceptualRoughness);
}

#endif
