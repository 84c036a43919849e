// Stand-ins for URP's library: the names that Vat/URP uses.
#ifndef STAND_IN_URP_CORE
#define STAND_IN_URP_CORE
#include "Instancing.hlsl"

#define CBUFFER_START(name) cbuffer name {
#define CBUFFER_END };
#define TEXTURE2D(name) Texture2D name
#define SAMPLER(name) SamplerState name
#define SAMPLE_TEXTURE2D(texture, sampler, uv) texture.Sample(sampler, uv)

cbuffer UnityPerDraw
{
    float4x4 unity_ObjectToWorld;
    float4x4 unity_MatrixPreviousM;
    float4 unity_MotionVectorsParams;
    float4x4 unity_MatrixVP;
    float4x4 _PrevViewProjMatrix;
    float4x4 _NonJitteredViewProjMatrix;
    float3 _WorldSpaceCameraPos;
    float4 _TimeParameters;
};
#define UNITY_MATRIX_M unity_ObjectToWorld
#define UNITY_PREV_MATRIX_M unity_MatrixPreviousM

float4 TransformWorldToHClip(float3 position)
{
    return mul(unity_MatrixVP, float4(position, 1.0));
}

float3 GetCameraPositionWS()
{
    return _WorldSpaceCameraPos;
}

float ComputeFogFactor(float z)
{
    return saturate(z);
}

float3 MixFog(float3 color, float factor)
{
    return color * factor;
}

float2 PackNormalOctQuadEncode(float3 normal)
{
    return normal.xy / dot(abs(normal), (float3)1.0);
}

float3 PackFloat2To888(float2 f)
{
    return float3(f, 0.0);
}

#endif
