import StoreClient
import StoreProtocol
import Testing

@Suite struct KeyFileTests {
  @Test(arguments: [
    (["HOME": "/h"], "/h/.config"), (["HOME": "/h", "XDG_CONFIG_HOME": "/c"], "/c"),
    (["HOME": "/h", "XDG_CONFIG_HOME": ""], "/h/.config"),
    (["HOME": "/h", "XDG_CONFIG_HOME": "c"], "/h/.config"),
  ])
  func `Keys are where the settings of the user are`(
    environment: [String: String],
    folder: String,
  ) throws {
    let file = try KeyFile(for: "tcp://host:5871", environment: environment)
    #expect(file.path == "\(folder)/storeactor/keys/host:5871")
  }

  @Test func `A client finds a daemon where the daemon is`() throws {
    func directory(_ environment: [String: String]) throws -> String {
      try StoreLocation.defaultDirectory(environment: environment)
    }
    #expect(try directory(["STOREACTOR_DIR": "d", "XDG_RUNTIME_DIR": "/r"]) == "d")
    #expect(try directory(["STOREACTOR_DIR": "", "XDG_RUNTIME_DIR": "/r"]) == "/r/storeactor")
    #expect(try directory(["XDG_RUNTIME_DIR": "rt", "HOME": "/h"]) == "/h/.storeactor")
    #expect(try directory(["HOME": ""]).hasPrefix("/"))
  }
}
