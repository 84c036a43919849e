// Stand-ins for HDRP's variables: the names that Vat/HDRP uses. Positions are counted from the camera.
#ifndef STAND_IN_HDRP_VARIABLES
#define STAND_IN_HDRP_VARIABLES
#include "Instancing.hlsl"

cbuffer UnityPerDraw
{
    float4x4 unity_ObjectToWorld;
    float4x4 unity_MatrixPreviousM;
    float4 unity_MotionVectorsParams;
    float4x4 _ViewProjMatrix;
    float4x4 _PrevViewProjMatrix;
    float4x4 _NonJitteredViewProjMatrix;
    float3 _WorldSpaceCameraPos;
    float4 _TimeParameters;
};
#define UNITY_MATRIX_UNJITTERED_VP _NonJitteredViewProjMatrix
#define UNITY_MATRIX_PREV_VP _PrevViewProjMatrix

float4x4 stand_in_relative(float4x4 model)
{
    model[0][3] -= _WorldSpaceCameraPos.x;
    model[1][3] -= _WorldSpaceCameraPos.y;
    model[2][3] -= _WorldSpaceCameraPos.z;
    return model;
}
#define UNITY_MATRIX_M stand_in_relative(unity_ObjectToWorld)
#define UNITY_PREV_MATRIX_M stand_in_relative(unity_MatrixPreviousM)

float3 GetCameraRelativePositionWS(float3 position)
{
    return position - _WorldSpaceCameraPos;
}

float4 TransformWorldToHClip(float3 position)
{
    return mul(_ViewProjMatrix, float4(position, 1.0));
}

float GetCurrentExposureMultiplier()
{
    return 1.0;
}

#endif
