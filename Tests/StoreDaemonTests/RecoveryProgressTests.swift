import Testing

@testable import StoreDaemon

@Suite struct RecoveryProgressTests {
  @Test func `A recovery of more than a second reports its progress, once a second`() {
    var progress = RecoveryProgress(through: 900, at: 5)
    let times: [Int64] = [6, 1_000_000_004, 1_000_000_005, 1_999_999_999, 2_500_000_000]
    let texts = times.enumerated().map { progress.text(at: UInt64($0) * 100, $1) }
    #expect(texts[0] == nil && texts[1] == nil && texts[3] == nil)
    #expect(texts[2]?.contains("revision 200 of 900") == true)
    #expect(texts[4]?.contains("revision 400 of 900") == true)
  }
}
