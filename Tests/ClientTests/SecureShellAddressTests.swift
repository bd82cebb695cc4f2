import Testing

@testable import StorectlMain

@Suite struct SecureShellAddressTests {
  @Test(arguments: ["ssh://host/run/dir", "ssh://ann@host.example:2222/run/dir", "ssh://1.2.3.4/d"])
  func `An address is read, and written as it was`(_ text: String) {
    #expect(SecureShellAddress(text)?.description == text)
  }

  @Test(arguments: [
    "ssh://-oProxyCommand=x/run", "ssh://ann@-oX/run", "ssh://a;b/run", "ssh://ann@/run",
    "ssh:///run", "ssh://host/run/${HOME}", "ssh://host/%h", "ssh://host/a:b", "ssh://host/",
    "ssh://host", "ssh://a@b@c/run", "ssh://host:no/run", "ssh://host/a\nb",
  ])
  func `A text with another meaning for ssh is no address`(_ text: String) {
    #expect(SecureShellAddress(text) == nil)
  }
}
