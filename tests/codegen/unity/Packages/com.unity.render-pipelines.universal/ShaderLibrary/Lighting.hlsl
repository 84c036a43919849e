// A stand-in: see Core.hlsl.
#ifndef STAND_IN_URP_LIGHTING
#define STAND_IN_URP_LIGHTING

struct Light
{
    float3 direction;
    float3 color;
    float distanceAttenuation;
    float shadowAttenuation;
};

float4 TransformWorldToShadowCoord(float3 position)
{
    return float4(position, 1.0);
}

Light GetMainLight(float4 shadow)
{
    Light light;
    light.direction = float3(0.0, 1.0, 0.0);
    light.color = (float3)1.0;
    light.distanceAttenuation = 1.0;
    light.shadowAttenuation = saturate(shadow.z);
    return light;
}

float3 SampleSH(float3 normal)
{
    return normal * 0.5 + 0.5;
}

#endif
