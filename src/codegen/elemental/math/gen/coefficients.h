// Made by fit.py beside it; do not edit.
#pragma once

#include <cstdint>

namespace subfloor::codegen::elemental {

// ln 2: 15 bits, so that n ln 2 is exact for every exponent n, and two more parts
inline constexpr double kLn2F32[] = {0x1.62e4000000000p-1, 0x1.7f7d1c0000000p-20, 0x1.ef357a0000000p-45};
// ln 2: 40 bits, likewise
inline constexpr double kLn2F64[] = {0x1.62e42fefa4000p-1, -0x1.8432a1b0e2634p-43, 0x1.f97b57a079a19p-103};
// pi/2 in three parts
inline constexpr double kHalfPiF32[] = {0x1.921fb60000000p+0, -0x1.777a5c0000000p-25, -0x1.ee59da0000000p-50};
// pi/2 in three parts
inline constexpr double kHalfPiF64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
// 2/3 in two parts
inline constexpr double kTwoThirdsF32[] = {0x1.5555560000000p-1, -0x1.5555560000000p-26};
// 2/3 in two parts
inline constexpr double kTwoThirdsF64[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
// (e^r - 1 - r) / r^2; error 2^-23.9
inline constexpr double kExpF32[] = {
    0x1.0000000000000p-1, 0x1.5554dc0000000p-3,  0x1.5555000000000p-5,
    0x1.120c380000000p-7, 0x1.6d308e0000000p-10,
};
// (e^r - 1 - r) / r^2; error 2^-59.2
inline constexpr double kExpF64[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,  0x1.1111111110045p-7,
    0x1.6c16c16c15fefp-10, 0x1.a01a01ac27468p-13, 0x1.a01a01a82049dp-16, 0x1.71de018a4e96dp-19,
    0x1.27e4d7fddc246p-22, 0x1.af4f1961bbff2p-26, 0x1.1f7919372ca92p-29,
};
// (log(1+f) - f + f^2/2) / f^3; error 2^-25.2
inline constexpr double kLogF32[] = {
    0x1.5555540000000p-2,  -0x1.fffff20000000p-3, 0x1.999d3e0000000p-3,
    -0x1.555ea60000000p-3, 0x1.23d80e0000000p-3,  -0x1.fc63820000000p-4,
    0x1.dd9aae0000000p-4,  -0x1.d9bfcc0000000p-4, 0x1.24bac20000000p-4,
};
// (2 atanh(s) - 2s) / s^3 in s^2; error 2^-22.3
inline constexpr double kLogSF32[] = {
    0x1.55555c0000000p-1,
    0x1.997b9c0000000p-2,
    0x1.2ef6900000000p-2,
};
// (2 atanh(s) - 2s) / s^3 in s^2; error 2^-51.5
inline constexpr double kLogSF64[] = {
    0x1.5555555555558p-1, 0x1.9999999995301p-2, 0x1.2492492df2f3ap-2, 0x1.c71c62e1245a0p-3,
    0x1.7462b62cdff8cp-3, 0x1.39fe2a6591690p-3, 0x1.2b5afa3d11a33p-3,
};
// (2 atanh(s) - 2s - 2/3 s^3) / s^5 in s^2; error 2^-27.3
inline constexpr double kLogTailF32[] = {
    0x1.99999a0000000p-2,
    0x1.2492100000000p-2,
    0x1.c704140000000p-3,
    0x1.827dd40000000p-3,
};
// (2 atanh(s) - 2s - 2/3 s^3) / s^5 in s^2; error 2^-55.4
inline constexpr double kLogTailF64[] = {
    0x1.999999999999ap-2, 0x1.24924924922fdp-2, 0x1.c71c71c74cc9cp-3, 0x1.745d173c9cac8p-3,
    0x1.3b13a9e881a13p-3, 0x1.11154b32e1858p-3, 0x1.e01aa1432f76bp-4, 0x1.da9962aae1e82p-4,
};
// (sin(r) - r) / r^3 in r^2; error 2^-27.6
inline constexpr double kSinF32[] = {
    -0x1.5555560000000p-3,
    0x1.1111980000000p-7,
    -0x1.a083120000000p-13,
    0x1.8775340000000p-19,
};
// (sin(r) - r) / r^3 in r^2; error 2^-56.6
inline constexpr double kSinF64[] = {
    -0x1.5555555555555p-3,  0x1.111111111101fp-7,  -0x1.a01a019fe8dc5p-13, 0x1.71de3a10d6808p-19,
    -0x1.ae63f90709ef2p-26, 0x1.60e694a9b66dap-33, -0x1.8dc40a95e2836p-41,
};
// (cos(r) - 1 + r^2/2) / r^4 in r^2; error 2^-29.6
inline constexpr double kCosF32[] = {
    0x1.5555560000000p-5,
    -0x1.6c17d40000000p-10,
    0x1.a0f5960000000p-16,
    -0x1.58df860000000p-22,
};
// (cos(r) - 1 + r^2/2) / r^4 in r^2; error 2^-58.6
inline constexpr double kCosF64[] = {
    0x1.5555555555555p-5,  -0x1.6c16c16c16a33p-10, 0x1.a01a019fb80f0p-16, -0x1.27e4faef7e369p-22,
    0x1.1eecd71c4bbdcp-29, -0x1.92a81992c9e90p-37, 0x1.35ab3554ac5a4p-45,
};
// (atan(x) - x) / x^3 in x^2; error 2^-26.6
inline constexpr double kAtanF32[] = {
    -0x1.5555560000000p-2, 0x1.999a200000000p-3,  -0x1.249f2c0000000p-3,
    0x1.c7adfc0000000p-4,  -0x1.6e12b40000000p-4, 0x1.d3d1e00000000p-5,
};
// (atan(x) - x) / x^3 in x^2; error 2^-55.8
inline constexpr double kAtanF64[] = {
    -0x1.5555555555555p-2, 0x1.9999999999804p-3, -0x1.24924924806bfp-3, 0x1.c71c71bb6acedp-4,
    -0x1.745d152024eecp-4, 0x1.3b1372afc8bf4p-4, -0x1.110c66b3ed77ep-4, 0x1.e1697a18aa9ecp-5,
    -0x1.ab02f46db8b24p-5, 0x1.6d4aacdfa69e3p-5, -0x1.0233ba5442478p-5, 0x1.56fc84860e8cap-7,
    0x1.3f3ea9d35960ap-8,
};
// (asin(x) - x) / x^3 in x^2; error 2^-26.7
inline constexpr double kAsinF32[] = {
    0x1.5555540000000p-3, 0x1.3334c60000000p-4, 0x1.6d40c20000000p-5,
    0x1.ff87ba0000000p-6, 0x1.10e64c0000000p-6, 0x1.19f7c00000000p-5,
};
// (asin(x) - x) / x^3 in x^2; error 2^-56.9
inline constexpr double kAsinF64[] = {
    0x1.5555555555555p-3,  0x1.33333333334b5p-4, 0x1.6db6db6d96bafp-5, 0x1.f1c71c85a1a75p-6,
    0x1.6e8b9f7518c40p-6,  0x1.1c4f24d61f5c1p-6, 0x1.c98bc6fd9c18dp-7, 0x1.7b3715295bcc4p-7,
    0x1.39c1df7f46efep-7,  0x1.394e14a677a95p-7, 0x1.1f80871ed1c31p-9, 0x1.6048b883ed5a9p-6,
    -0x1.65f91a06abde5p-6, 0x1.fe93e6310b87fp-6,
};
// (tanh(x) - x) / x^3 in x^2; error 2^-26.6
inline constexpr double kTanhF32[] = {
    -0x1.5555560000000p-2, 0x1.11113a0000000p-3,  -0x1.ba1b140000000p-5,
    0x1.6581280000000p-6,  -0x1.15bfa40000000p-7, 0x1.3cb5ec0000000p-9,
};
// erf(x) / x - 1 in x^2; error 2^-30.0
inline constexpr double kErfF32[] = {
    0x1.06eba80000000p-3, -0x1.8127440000000p-2,  0x1.ce2ea00000000p-4,  -0x1.b821e60000000p-6,
    0x1.55dcc60000000p-8, -0x1.b99eb60000000p-11, 0x1.c773480000000p-14, -0x1.1fd45c0000000p-17,
};
// erf(x) / x - 1 in x^2; error 2^-56.4
inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b037a02p-2,  0x1.ce2f21a043b39p-4,  -0x1.b82ce312c9040p-6,
    0x1.565bcd17e78b1p-8,  -0x1.c02db5bf44215p-11, 0x1.f9a35d6154cf9p-14, -0x1.f4d6e39d4c49fp-17,
    0x1.ba29d078221cbp-20, -0x1.622465af90574p-23, 0x1.11289c19070a9p-26, -0x1.fbaaf18836880p-30,
    0x1.46d476713e659p-32, -0x1.371953252d2fdp-35,
};
// m^(-1/3); error 2^-7.2
inline constexpr double kInverseCbrtF32[] = {
    0x1.551b980000000p+0,  -0x1.bbfadc0000000p-2, 0x1.afdfac0000000p-4,
    -0x1.9938aa0000000p-7, 0x1.2483040000000p-11,
};
// m^(-1/3); error 2^-7.2
inline constexpr double kInverseCbrtF64[] = {
    0x1.551b97d7198b4p+0,  -0x1.bbfadb16d7ba0p-2, 0x1.afdfaaed4b488p-4,
    -0x1.9938aa23fbe28p-7, 0x1.2483058023c82p-11,
};
// log(erfc(a)) in a - 2; error 2^-22.7
inline constexpr double kLogErfcF32[] = {
    -0x1.575b320000000p+2, -0x1.1ac3260000000p+2,  -0x1.d8f6020000000p-1, -0x1.0dc03a0000000p-6,
    0x1.d4466a0000000p-9,  -0x1.80fd9a0000000p-11, 0x1.19fdcc0000000p-13, -0x1.4238080000000p-16,
    0x1.afe1b00000000p-20, -0x1.2187d00000000p-25,
};
// log(erfc(a)) in a - 2; error 2^-51.5
inline constexpr double kLogErfcF64[] = {
    -0x1.575b329b1f516p+2,  -0x1.1ac3258a8dc2bp+2,  -0x1.d8f5dece92330p-1,  -0x1.0dc3b5fb11c1ap-6,
    0x1.d406b37362f0fp-9,   -0x1.7ffcfb4565c64p-11, 0x1.1bc3a618b9de2p-13,  -0x1.5b65707efc548p-16,
    0x1.06044eff69abfp-19,  0x1.b54b27b22847fp-23,  -0x1.73e607c4beb4ep-23, 0x1.f0a69c01f5c5dp-25,
    -0x1.e0342a06db7acp-27, 0x1.5a8a00459ac94p-29,  -0x1.1c02c43c3ad14p-32, -0x1.37b3c821e811bp-35,
    0x1.0b5c2aa65cbcfp-35,  -0x1.89cfbcc8571e7p-37, 0x1.93f92614a420ep-39,  -0x1.82e4060c25102p-42,
    -0x1.371d8363a3645p-43, 0x1.e7a6943057944p-44,  -0x1.685579fc47c67p-45, 0x1.63797d6a1f1edp-47,
    -0x1.ef9171f0d0cd4p-50, 0x1.e5dda94ab4b36p-53,  -0x1.4083af96f93bdp-56, 0x1.00550946ec79dp-60,
    -0x1.78743bd1952bcp-66,
};
// 2/pi as a binary fraction behind 64 zero bits, most significant word first.
inline constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d, 0xa9e391615ee61b08,
};

}  // namespace subfloor::codegen::elemental
