// A stand-in: see Core.hlsl.
#ifndef STAND_IN_URP_SHADOWS
#define STAND_IN_URP_SHADOWS

float3 ApplyShadowBias(float3 position, float3 normal, float3 direction)
{
    return position + direction * 0.01 + normal * 0.01;
}

#endif
