import StoreActor
import StoreState
import Testing

/// An enum with an unreasonable number of cases, each fifth of which contains the enum itself.
@ObservableState
private indirect enum Manifold: Equatable, ReplicatedState {
  case c0
  case c1(Int)
  case c2(zz: Int, a: String)
  case c3(Int?, name: [Int])
  case c4(Manifold)
  case c5
  case c6(Int)
  case c7(zz: Int, a: String)
  case c8(Int?, name: [Int])
  case c9(Manifold)
  case c10
  case c11(Int)
  case c12(zz: Int, a: String)
  case c13(Int?, name: [Int])
  case c14(Manifold)
  case c15
  case c16(Int)
  case c17(zz: Int, a: String)
  case c18(Int?, name: [Int])
  case c19(Manifold)
  case c20
  case c21(Int)
  case c22(zz: Int, a: String)
  case c23(Int?, name: [Int])
  case c24(Manifold)
  case c25
  case c26(Int)
  case c27(zz: Int, a: String)
  case c28(Int?, name: [Int])
  case c29(Manifold)
  case c30
  case c31(Int)
  case c32(zz: Int, a: String)
  case c33(Int?, name: [Int])
  case c34(Manifold)
  case c35
  case c36(Int)
  case c37(zz: Int, a: String)
  case c38(Int?, name: [Int])
  case c39(Manifold)
  case c40
  case c41(Int)
  case c42(zz: Int, a: String)
  case c43(Int?, name: [Int])
  case c44(Manifold)
  case c45
  case c46(Int)
  case c47(zz: Int, a: String)
  case c48(Int?, name: [Int])
  case c49(Manifold)
  case c50
  case c51(Int)
  case c52(zz: Int, a: String)
  case c53(Int?, name: [Int])
  case c54(Manifold)
  case c55
  case c56(Int)
  case c57(zz: Int, a: String)
  case c58(Int?, name: [Int])
  case c59(Manifold)
  case c60
  case c61(Int)
  case c62(zz: Int, a: String)
  case c63(Int?, name: [Int])
  case c64(Manifold)
  case c65
  case c66(Int)
  case c67(zz: Int, a: String)
  case c68(Int?, name: [Int])
  case c69(Manifold)
  case c70
  case c71(Int)
  case c72(zz: Int, a: String)
  case c73(Int?, name: [Int])
  case c74(Manifold)
  case c75
  case c76(Int)
  case c77(zz: Int, a: String)
  case c78(Int?, name: [Int])
  case c79(Manifold)
  case c80
  case c81(Int)
  case c82(zz: Int, a: String)
  case c83(Int?, name: [Int])
  case c84(Manifold)
  case c85
  case c86(Int)
  case c87(zz: Int, a: String)
  case c88(Int?, name: [Int])
  case c89(Manifold)
  case c90
  case c91(Int)
  case c92(zz: Int, a: String)
  case c93(Int?, name: [Int])
  case c94(Manifold)
  case c95
  case c96(Int)
  case c97(zz: Int, a: String)
  case c98(Int?, name: [Int])
  case c99(Manifold)
  case c100
  case c101(Int)
  case c102(zz: Int, a: String)
  case c103(Int?, name: [Int])
  case c104(Manifold)
  case c105
  case c106(Int)
  case c107(zz: Int, a: String)
  case c108(Int?, name: [Int])
  case c109(Manifold)
  case c110
  case c111(Int)
  case c112(zz: Int, a: String)
  case c113(Int?, name: [Int])
  case c114(Manifold)
  case c115
  case c116(Int)
  case c117(zz: Int, a: String)
  case c118(Int?, name: [Int])
  case c119(Manifold)
  case c120
  case c121(Int)
  case c122(zz: Int, a: String)
  case c123(Int?, name: [Int])
  case c124(Manifold)
  case c125
  case c126(Int)
  case c127(zz: Int, a: String)
  case c128(Int?, name: [Int])
  case c129(Manifold)
  case c130
  case c131(Int)
  case c132(zz: Int, a: String)
  case c133(Int?, name: [Int])
  case c134(Manifold)
  case c135
  case c136(Int)
  case c137(zz: Int, a: String)
  case c138(Int?, name: [Int])
  case c139(Manifold)
  case c140
  case c141(Int)
  case c142(zz: Int, a: String)
  case c143(Int?, name: [Int])
  case c144(Manifold)
  case c145
  case c146(Int)
  case c147(zz: Int, a: String)
  case c148(Int?, name: [Int])
  case c149(Manifold)
  case c150
  case c151(Int)
  case c152(zz: Int, a: String)
  case c153(Int?, name: [Int])
  case c154(Manifold)
  case c155
  case c156(Int)
  case c157(zz: Int, a: String)
  case c158(Int?, name: [Int])
  case c159(Manifold)
  case c160
  case c161(Int)
  case c162(zz: Int, a: String)
  case c163(Int?, name: [Int])
  case c164(Manifold)
  case c165
  case c166(Int)
  case c167(zz: Int, a: String)
  case c168(Int?, name: [Int])
  case c169(Manifold)
  case c170
  case c171(Int)
  case c172(zz: Int, a: String)
  case c173(Int?, name: [Int])
  case c174(Manifold)
  case c175
  case c176(Int)
  case c177(zz: Int, a: String)
  case c178(Int?, name: [Int])
  case c179(Manifold)
  case c180
  case c181(Int)
  case c182(zz: Int, a: String)
  case c183(Int?, name: [Int])
  case c184(Manifold)
  case c185
  case c186(Int)
  case c187(zz: Int, a: String)
  case c188(Int?, name: [Int])
  case c189(Manifold)
  case c190
  case c191(Int)
  case c192(zz: Int, a: String)
  case c193(Int?, name: [Int])
  case c194(Manifold)
  case c195
  case c196(Int)
  case c197(zz: Int, a: String)
  case c198(Int?, name: [Int])
  case c199(Manifold)
  case c200
  case c201(Int)
  case c202(zz: Int, a: String)
  case c203(Int?, name: [Int])
  case c204(Manifold)
  case c205
  case c206(Int)
  case c207(zz: Int, a: String)
  case c208(Int?, name: [Int])
  case c209(Manifold)
  case c210
  case c211(Int)
  case c212(zz: Int, a: String)
  case c213(Int?, name: [Int])
  case c214(Manifold)
  case c215
  case c216(Int)
  case c217(zz: Int, a: String)
  case c218(Int?, name: [Int])
  case c219(Manifold)
  case c220
  case c221(Int)
  case c222(zz: Int, a: String)
  case c223(Int?, name: [Int])
  case c224(Manifold)
  case c225
  case c226(Int)
  case c227(zz: Int, a: String)
  case c228(Int?, name: [Int])
  case c229(Manifold)
  case c230
  case c231(Int)
  case c232(zz: Int, a: String)
  case c233(Int?, name: [Int])
  case c234(Manifold)
  case c235
  case c236(Int)
  case c237(zz: Int, a: String)
  case c238(Int?, name: [Int])
  case c239(Manifold)
  case c240
  case c241(Int)
  case c242(zz: Int, a: String)
  case c243(Int?, name: [Int])
  case c244(Manifold)
  case c245
  case c246(Int)
  case c247(zz: Int, a: String)
  case c248(Int?, name: [Int])
  case c249(Manifold)
  case c250
  case c251(Int)
  case c252(zz: Int, a: String)
  case c253(Int?, name: [Int])
  case c254(Manifold)
  case c255
  case c256(Int)
  case c257(zz: Int, a: String)
  case c258(Int?, name: [Int])
  case c259(Manifold)
  case c260
  case c261(Int)
  case c262(zz: Int, a: String)
  case c263(Int?, name: [Int])
  case c264(Manifold)
  case c265
  case c266(Int)
  case c267(zz: Int, a: String)
  case c268(Int?, name: [Int])
  case c269(Manifold)
  case c270
  case c271(Int)
  case c272(zz: Int, a: String)
  case c273(Int?, name: [Int])
  case c274(Manifold)
  case c275
  case c276(Int)
  case c277(zz: Int, a: String)
  case c278(Int?, name: [Int])
  case c279(Manifold)
  case c280
  case c281(Int)
  case c282(zz: Int, a: String)
  case c283(Int?, name: [Int])
  case c284(Manifold)
  case c285
  case c286(Int)
  case c287(zz: Int, a: String)
  case c288(Int?, name: [Int])
  case c289(Manifold)
  case c290
  case c291(Int)
  case c292(zz: Int, a: String)
  case c293(Int?, name: [Int])
  case c294(Manifold)
  case c295
  case c296(Int)
  case c297(zz: Int, a: String)
  case c298(Int?, name: [Int])
  case c299(Manifold)
}

/// A structure with an unreasonable number of fields.
@ObservableState
private struct Wide: Equatable, ReplicatedState {
  var f0: Int = 0, f7: Int = 0, f14: Int = 0, f21: Int = 0
  var f28: Int = 0, f35: Int = 0, f42: Int = 0, f49: Int = 0
  var f56: Int = 0, f63: Int = 0, f70: Int = 0, f77: Int = 0
  var f84: Int = 0, f91: Int = 0, f98: Int = 0, f105: Int = 0
  var f112: Int = 0, f119: Int = 0, f126: Int = 0, f133: Int = 0
  var f140: Int = 0, f147: Int = 0, f154: Int = 0, f161: Int = 0
  var f168: Int = 0, f175: Int = 0
  var f1: String = "", f8: String = "", f15: String = "", f22: String = ""
  var f29: String = "", f36: String = "", f43: String = "", f50: String = ""
  var f57: String = "", f64: String = "", f71: String = "", f78: String = ""
  var f85: String = "", f92: String = "", f99: String = "", f106: String = ""
  var f113: String = "", f120: String = "", f127: String = "", f134: String = ""
  var f141: String = "", f148: String = "", f155: String = "", f162: String = ""
  var f169: String = "", f176: String = ""
  var f2: [Int] = [], f9: [Int] = [], f16: [Int] = [], f23: [Int] = []
  var f30: [Int] = [], f37: [Int] = [], f44: [Int] = [], f51: [Int] = []
  var f58: [Int] = [], f65: [Int] = [], f72: [Int] = [], f79: [Int] = []
  var f86: [Int] = [], f93: [Int] = [], f100: [Int] = [], f107: [Int] = []
  var f114: [Int] = [], f121: [Int] = [], f128: [Int] = [], f135: [Int] = []
  var f142: [Int] = [], f149: [Int] = [], f156: [Int] = [], f163: [Int] = []
  var f170: [Int] = [], f177: [Int] = []
  var f3: Double = 0.5, f10: Double = 0.5, f17: Double = 0.5, f24: Double = 0.5
  var f31: Double = 0.5, f38: Double = 0.5, f45: Double = 0.5, f52: Double = 0.5
  var f59: Double = 0.5, f66: Double = 0.5, f73: Double = 0.5, f80: Double = 0.5
  var f87: Double = 0.5, f94: Double = 0.5, f101: Double = 0.5, f108: Double = 0.5
  var f115: Double = 0.5, f122: Double = 0.5, f129: Double = 0.5, f136: Double = 0.5
  var f143: Double = 0.5, f150: Double = 0.5, f157: Double = 0.5, f164: Double = 0.5
  var f171: Double = 0.5, f178: Double = 0.5
  var f4: Bool = false, f11: Bool = false, f18: Bool = false, f25: Bool = false
  var f32: Bool = false, f39: Bool = false, f46: Bool = false, f53: Bool = false
  var f60: Bool = false, f67: Bool = false, f74: Bool = false, f81: Bool = false
  var f88: Bool = false, f95: Bool = false, f102: Bool = false, f109: Bool = false
  var f116: Bool = false, f123: Bool = false, f130: Bool = false, f137: Bool = false
  var f144: Bool = false, f151: Bool = false, f158: Bool = false, f165: Bool = false
  var f172: Bool = false, f179: Bool = false
  var f5: Set<String> = [], f12: Set<String> = [], f19: Set<String> = [], f26: Set<String> = []
  var f33: Set<String> = [], f40: Set<String> = [], f47: Set<String> = [], f54: Set<String> = []
  var f61: Set<String> = [], f68: Set<String> = [], f75: Set<String> = [], f82: Set<String> = []
  var f89: Set<String> = [], f96: Set<String> = [], f103: Set<String> = [], f110: Set<String> = []
  var f117: Set<String> = [], f124: Set<String> = [], f131: Set<String> = [], f138: Set<String> = []
  var f145: Set<String> = [], f152: Set<String> = [], f159: Set<String> = [], f166: Set<String> = []
  var f173: Set<String> = [], f180: Set<String> = []
  var f6: Int? = nil, f13: Int? = nil, f20: Int? = nil, f27: Int? = nil
  var f34: Int? = nil, f41: Int? = nil, f48: Int? = nil, f55: Int? = nil
  var f62: Int? = nil, f69: Int? = nil, f76: Int? = nil, f83: Int? = nil
  var f90: Int? = nil, f97: Int? = nil, f104: Int? = nil, f111: Int? = nil
  var f118: Int? = nil, f125: Int? = nil, f132: Int? = nil, f139: Int? = nil
  var f146: Int? = nil, f153: Int? = nil, f160: Int? = nil, f167: Int? = nil
  var f174: Int? = nil, f181: Int? = nil
}

@Suite("Types without limits")
struct LargeTypesTests {
  @Test("An enumeration of 300 cases")
  func cases() throws {
    let values: [Manifold] = [
      .c0, .c1(1), .c1(2), .c2(zz: 1, a: "x"), .c2(zz: 2, a: "x"), .c293(nil, name: [1]), .c295,
      .c298(nil, name: [1]), .c298(3, name: []), .c299(.c1(3)), .c299(.c299(.c297(zz: 3, a: "é"))),
    ]
    try checkLaws(values)
    let document = SchemaRegistry.document(for: Manifold.self)
    guard case .choice(let cases) = document.definitions["Manifold"] else {
      Issue.record("no choice")
      return
    }
    #expect(cases.count == 300)
    let unknown = #expect(throws: CodecError.self) { try Manifold(encoded: "c300".encoded()) }
    #expect(unknown?.code == .unknownName)
  }

  @Test("A structure of 182 fields")
  func fields() throws {
    var state = Wide()
    var states = [state]
    state.f181 = 3
    states.append(state)
    state.f0 = 9
    state.f100 = [1]
    state.f178 = 0.25
    states.append(state)
    #expect(state.delta(from: states[1])?.first == 0xa3)
    try checkLaws(states)
    var cut = state.encoded()
    cut.removeLast()
    #expect(throws: CodecError.self) { try Wide(encoded: cut) }
  }
}
