import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory

/// The rights that lines of grants give, and their grantees: docs/guides/Security.md.
@Suite struct GrantsTests {
  private static let accounts = Accounts(
    user: { ["ann": 1000, "bob": 1001][$0] },
    group: { $0 == "staff" ? (id: 50, members: [1001]) : nil },
  )
  private static let exposed = Deck.exposures.map(\.description)

  private func grants(_ text: String) throws -> Grants {
    try Grants(
      reading: text,
      owner: 7,
      exposed: Self.exposed,
      accounts: Self.accounts,
    )
  }

  private func user(_ user: UInt32, group: UInt32 = 100) -> ActionOrigin.Identity {
    .user(user, group: group, process: 1)
  }

  @Test func `Without lines the owner and root may do everything, and others are not let in`()
    throws
  {
    let grants = try grants("\n# nobody\n   \t\r\n")
    for identity in [user(7), user(0), .loopback, .process] {
      #expect(grants.rights(of: identity) == .everything)
      #expect(grants.admits(identity))
    }
    #expect(!grants.admits(user(1000)) && !grants.admits(.nobody) && !grants.admits(.unknown))
    #expect(grants.rights(of: .unknown).isNothing)
    #expect(grants.everybodySees("counter"))
  }

  @Test func `A peer over ipc has no rights if the kernel's identity is not understood`() throws {
    let grants = try grants("user:4294967295 * see send\n")
    for address in ["", "localhost", "localhost:", "localhost:1000", "localhost::20:"] {
      #expect(!grants.admits(ActionOrigin.Identity(place: address)), "\(address)")
    }
    // Not every kernel reports the process and the group.
    for address in ["localhost:7:20:", "localhost:7::"] {
      #expect(grants.isOwner(ActionOrigin.Identity(place: address)), "\(address)")
    }
    for address in ["192.0.2.1", "::2", "127.0.0.1:5555"] {
      #expect(!grants.admits(ActionOrigin.Identity(place: address)), "\(address)")
    }
  }

  @Test func `A line grants its rights to its grantee, and lines add up`() throws {
    let grants = try grants(
      """
      user:ann   counter,cards/row/*  see send=incrementButtonTapped  # tap only
      user:ann   counter              send=decrementButtonTapped
      group:staff cards               see\r
      user:1002  *                    send
      """
    )
    let ann = grants.rights(of: user(1000))
    #expect(ann.sees("counter") && ann.sees("cards/row/7"))
    #expect(!ann.sees("cards") && !ann.sees("cards/row/") && !ann.sees("extra"))
    #expect(
      ann.sends("counter") == .actions(["incrementButtonTapped", "decrementButtonTapped"])
    )
    #expect(ann.sends("cards/row/7") == .actions(["incrementButtonTapped"]))
    #expect(ann.sends("extra") == .nothing)
    for bob in [user(1001), user(1005, group: 50)] {
      #expect(grants.rights(of: bob).sees("cards"))
      #expect(grants.rights(of: bob).sends("cards") == .nothing)
    }
    let sender = grants.rights(of: user(1002))
    #expect(!sender.sees("counter") && sender.sends("extra") == .everything)
    #expect(!grants.admits(user(1003)))
  }

  static func digits(_ pair: String) -> String { String(repeating: pair, count: 32) }

  @Test func `A key is identified by its bytes, and has the rights of its lines`() throws {
    let laptop = [UInt8](repeating: 0x0f, count: 32)
    let grants = try grants(
      """
      key:laptop=\(Self.digits("0F")) counter,cards/row/* see send
      key:laptop=\(Self.digits("0f")) extra               send=written
      key:phone=\(Self.digits("a1"))  cards                see
      """
    )
    #expect(grants.name(ofKey: laptop) == "laptop")
    #expect(grants.name(ofKey: [UInt8](repeating: 0, count: 32)) == nil)
    let rights = grants.rights(of: .key("laptop"), by: laptop)
    #expect(rights.sees("counter") && !rights.sees("cards") && !rights.sees("extra"))
    #expect(rights.sends("extra") == .actions(["written"]))
    let phone = [UInt8](repeating: 0xa1, count: 32)
    #expect(grants.rights(of: .key("phone"), by: phone).sees("cards"))
    for key in [laptop, nil] { #expect(grants.rights(of: .key("phone"), by: key).isNothing) }
    for stranger in [ActionOrigin.Identity.key("other"), user(1000)] {
      #expect(!grants.admits(stranger))
    }
    #expect(!grants.everybodySees("cards") && !grants.includesUsers)
    #expect(grants.isOwner(user(7)) && grants.isOwner(user(0)))
    #expect(
      !grants.isOwner(user(8)) && !grants.isOwner(.key("laptop")) && !grants.isOwner(.unknown)
    )
    let lines = grants.linesOfKeys
    #expect(lines.map(\.name) == ["laptop", "phone"])
    #expect(
      lines[0].lines.map(\.text) == [
        "counter,cards/row/* see send", "extra send=written",
      ]
    )
  }

  @Test func `A name stands for one key, and a key has one name`() throws {
    for (line, expected) in [
      ("key:laptop=\(Self.digits("a1")) counter see", "\"laptop\" is another key above"),
      ("key:phone=\(Self.digits("0f")) counter see", "this key is called \"laptop\" above"),
    ] {
      let first = "key:laptop=\(Self.digits("0f")) counter see"
      let error = #expect(throws: GrantsError.self) { try grants("\(first)\n\(line)\n") }
      #expect(error?.line == 2 && error?.message.contains(expected) == true)
    }
  }

  private func without(_ name: String, _ text: String) -> String? {
    Grants.text(text, withoutKey: name)
  }

  @Test func `A key's lines are found one by one, independent of the others`() {
    let (one, two) = (Self.digits("0f"), Self.digits("a1"))
    let others = "nonsense\nuser:eve countr look\n# key:laptop=\(one) counter see\n"
    for line in [
      "key:laptop=\(one) counter see", "\t key:laptop=\(one)\tcounter look", "\rkey:laptop=12 x",
      "key:laptop counter see", "key:laptop=\(one)#", "key:laptop=\(one.uppercased()) * see\r",
    ] {
      #expect(without("laptop", others + line) == String(others.dropLast()), "\(line)")
      #expect(without("laptop", "\(line)\n\(others)") == others, "\(line)")
    }
    // The key is removed with its name, including lines that name it differently.
    let lines = "key:laptop=\(one) counter see\nkey:twin=\(one) * see\nkey:phone=\(two) * see"
    #expect(without("laptop", lines) == "key:phone=\(two) * see")
    for name in ["lap", "laptop=", "", "#"] { #expect(without(name, lines + others) == nil) }
  }

  @Test func `A grantee that the text does not name any more loses its rights, others keep theirs`()
    throws
  {
    let (one, two) = (Self.digits("0f"), Self.digits("a1"))
    let old = try grants(
      """
      user:ann counter see send
      group:staff cards see
      user:1002 * see
      key:laptop=\(one) counter see
      key:phone=\(two) counter see
      """
    )
    let text = """
      user:1000 countr see
      group:50
      key:laptop=\(one) look
      key:phone=\(one) counter see
      user:1003 * see send
      """
    let left = old.limited(to: Grants.grantees(in: text, accounts: Self.accounts))
    #expect(left.lines == Array(old.lines[0...1]) + [old.lines[3]])
    #expect(left.owner == old.owner)
    #expect(left.without(key: "laptop").lines == Array(old.lines[0...1]))
  }

  @Test func `A user that could not be looked up differs from one that does not exist`() throws {
    let failing = Accounts(
      user: { (name) throws(Accounts.LookupError) in
        guard name != "ann" else { throw Accounts.LookupError(reason: "Input/output error") }
        return name == "bob" ? 1001 : nil
      },
      group: { (name) throws(Accounts.LookupError) in
        guard name != "staff" else { throw Accounts.LookupError(reason: "Too many open files") }
        return nil
      },
    )
    func error(_ text: String) -> GrantsError? {
      #expect(throws: GrantsError.self) {
        try Grants(reading: text, owner: 7, exposed: Self.exposed, accounts: failing)
      }
    }
    let unknown = error("user:bob counter see\nuser:eve counter see")
    #expect(unknown?.isLookupFailure == false)
    for (line, reason) in [
      ("user:ann counter see", "\"ann\" could not be looked up: Input/output error"),
      ("group:staff counter see", "\"staff\" could not be looked up: Too many open files"),
    ] {
      let failure = error("user:bob counter see\n\(line)")
      #expect(failure?.isLookupFailure == true && failure?.line == 2)
      #expect(
        failure?.message.contains(reason) == true && failure?.message.contains("number") == true
      )
    }
    // Until the named users are known, no user loses a right. Keys need no lookup.
    let (one, two) = (Self.digits("0f"), Self.digits("a1"))
    let old = try grants(
      """
      user:ann counter see send
      group:staff cards see
      user:1002 * see
      key:laptop=\(one) counter see
      key:phone=\(two) counter see
      """
    )
    let text = "user:ann counter see\nkey:phone=\(two) counter see\n"
    let left = old.limited(to: Grants.grantees(in: text, accounts: failing))
    #expect(left.lines == Array(old.lines[0...2]) + [old.lines[4]])
  }

  @Test func `A scope is public if all users with a line see it`() throws {
    let grants = try grants(
      """
      user:ann    counter,cards  see
      user:ann    extra          see
      group:staff *              see
      """
    )
    #expect(grants.everybodySees("counter") && grants.everybodySees("extra"))
    #expect(!grants.everybodySees("cards/row/1"))
    #expect(!(try self.grants("user:ann counter send").everybodySees("counter")))
  }

  @Test func `An action is known by its case`() throws {
    let right = SendRight.actions(["filled", "incrementButtonTapped"])
    #expect(right.allows(try Deck.CounterAction.incrementButtonTapped.encoded()[...]))
    #expect(right.allows(try Deck.CounterAction.filled(bytes: 3).encoded()[...]))
    #expect(!right.allows(try Deck.CounterAction.decrementButtonTapped.encoded()[...]))
    for bytes: [UInt8] in [
      [], [0xf6], [0x01], [0xa0], [0xa2, 0x61, 0x61, 1, 0x61, 0x62, 1], [0xff],
    ] {
      #expect(!right.allows(bytes[...]), "\(bytes)")
      #expect(SendRight.everything.allows(bytes[...]))
    }
  }

  @Test(
    "An invalid line is reported with its number and the expectation",
    arguments: [
      ("user:ann counter", "expected a grantee, scopes and rights"),
      ("user:eve counter see", "there is no user \"eve\""),
      ("group:none counter see", "there is no group \"none\""),
      ("key:abc counter see", "expected key:NAME="),
      ("key:abc=12 counter see", "64 hexadecimal digits"),
      ("key:a/b=\(GrantsTests.digits("0f")) counter see", "\"a/b\" is no name for a key"),
      ("ann counter see", "\"ann\" is no grantee"),
      ("user:ann countr see", "did you mean \"counter\""),
      ("user:ann card*s see", "is no scope"),
      ("user:ann cards* see", "is no scope"),
      ("user:ann counter look", "there is no right \"look\""),
      ("user:ann counter send=", "names no action"),
      ("user:ann counter send=incrementButtonTaped", "did you mean \"incrementButtonTapped\""),
    ],
  )
  func mistake(_ line: String, _ expected: String) {
    let error = #expect(throws: GrantsError.self) { try grants("# first\n\(line)\n") }
    #expect(error?.line == 2)
    #expect(error?.message.contains(expected) ?? false, "\(error?.message ?? "")")
  }
}
