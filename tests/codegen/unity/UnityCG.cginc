// Stand-ins for the built-in pipeline's includes: the names that Vat/Built-in uses.
#ifndef STAND_IN_UNITYCG
#define STAND_IN_UNITYCG
#include "Instancing.hlsl"

cbuffer UnityPerDraw
{
    float4x4 unity_ObjectToWorld;
    float4x4 unity_WorldToObject;
    float4x4 unity_MatrixVP;
    float3 _WorldSpaceCameraPos;
    float4 _WorldSpaceLightPos0;
    float4 unity_LightShadowBias;
};
#define UNITY_MATRIX_VP unity_MatrixVP

// Samplers of Direct3D 9, which Unity translates.
#define sampler2D Texture2D<float4>
SamplerState stand_in_sampler;
#define tex2D(texture, uv) texture.Sample(stand_in_sampler, uv)

float3 ShadeSH9(float4 normal)
{
    return normal.xyz * 0.5 + 0.5;
}

#define V2F_SHADOW_CASTER float4 pos : SV_POSITION
#define TRANSFER_SHADOW_CASTER_NORMALOFFSET(o) \
    o.pos = mul(UNITY_MATRIX_VP, mul(unity_ObjectToWorld, float4(v.vertex.xyz - v.normal * unity_LightShadowBias.z, v.vertex.w)));
#define SHADOW_CASTER_FRAGMENT(i) return (float4)0.0;

#endif
