// Stand-ins for UnityInstancing: the names that the Vat shaders use, with the meaning that Unity's documentation gives them. Written
// for these tests; nothing of it is Unity's.
#ifndef STAND_IN_INSTANCING
#define STAND_IN_INSTANCING

#define UNITY_REVERSED_Z 1
#define UNITY_UV_STARTS_AT_TOP 1
#define UNITY_NEAR_CLIP_VALUE 1.0

#if defined(INSTANCING_ON)
static uint unity_InstanceID;
#define UNITY_VERTEX_INPUT_INSTANCE_ID uint instanceID : SV_InstanceID;
#define UNITY_SETUP_INSTANCE_ID(input) unity_InstanceID = input.instanceID
#define UNITY_INSTANCING_BUFFER_START(name) cbuffer name { struct { 
#define UNITY_DEFINE_INSTANCED_PROP(type, name) type name;
#define UNITY_INSTANCING_BUFFER_END(name) } name##Array[64]; };
#define UNITY_ACCESS_INSTANCED_PROP(buffer, name) buffer##Array[unity_InstanceID].name
#else
#define UNITY_VERTEX_INPUT_INSTANCE_ID
#define UNITY_SETUP_INSTANCE_ID(input)
#define UNITY_INSTANCING_BUFFER_START(name) cbuffer name {
#define UNITY_DEFINE_INSTANCED_PROP(type, name) type name;
#define UNITY_INSTANCING_BUFFER_END(name) };
#define UNITY_ACCESS_INSTANCED_PROP(buffer, name) name
#endif

#endif
