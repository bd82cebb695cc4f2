import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("The expansion of @DependencyClient")
struct DependencyClientExpansionTests {
  @Test("Every closure becomes an endpoint that reports")
  func client() {
    expectExpansion(
      """
      @DependencyClient
      public struct FactClient {
        public var fetch: @Sendable (_ number: Int, Bool) async throws -> String
        public var isAvailable: () -> Bool = { false }
        public var log: @MainActor (String) -> Void
        let limit = 3
        var name = ""
        var isQuiet: Bool = false
        @DependencyEndpointIgnored var raw: () -> Int
      }
      """,
      """
      public struct FactClient {
        @StoreActor::DependencyEndpoint
        public var fetch: @Sendable (_ number: Int, Bool) async throws -> String
        @StoreActor::DependencyEndpoint
        public var isAvailable: () -> Bool = { false }
        @StoreActor::DependencyEndpoint
        public var log: @MainActor (String) -> Void
        let limit = 3
        var name = ""
        var isQuiet: Bool = false
        var raw: () -> Int

        public init(
          fetch: @escaping @Sendable (_ number: Int, Bool) async throws -> String,
          isAvailable: @escaping () -> Bool,
          log: @escaping @MainActor (String) -> Void,
          isQuiet: Bool = false,
          raw: @escaping () -> Int
        ) {
          self.fetch = fetch
          self.isAvailable = isAvailable
          self.log = log
          self.isQuiet = isQuiet
          self.raw = raw
        }
      }
      """,
      macros: dependencyClientMacros.filter { $0.key != "DependencyEndpoint" },
    )
  }

  @Test("An endpoint's method may have another name")
  func method() {
    expectExpansion(
      """
      struct FactClient {
        @DependencyEndpoint(method: "get") var fetch: (inout Int) throws -> Void
      }
      """,
      """
      struct FactClient {
        var fetch: (inout Int) throws -> Void {
          @storageRestrictions(initializes: _fetch)
          init(initialValue) {
            _fetch = initialValue
          }
          get {
            _fetch
          }
          set {
            _fetch = newValue
          }
        }

        private var _fetch: (inout Int) throws -> Void = { _ in
          StoreActor::_$unimplementedEndpoint("\\(Self.self).fetch")
          throw StoreActor::Unimplemented("\\(Self.self).fetch")
        }

        func get(_ p0: inout Int) throws {
          try self._fetch(&p0)
        }
      }
      """,
      macros: dependencyClientMacros,
    )
  }

  @Test("An endpoint that returns an optional and cannot throw any error returns nil")
  func optionalResult() {
    expectExpansion(
      """
      struct Recorder {
        @DependencyEndpoint var currentTime: @Sendable () async -> Double?
      }
      """,
      """
      struct Recorder {
        var currentTime: @Sendable () async -> Double? {
          @storageRestrictions(initializes: _currentTime)
          init(initialValue) {
            _currentTime = initialValue
          }
          get {
            _currentTime
          }
          set {
            _currentTime = newValue
          }
        }

        private var _currentTime: @Sendable () async -> Double? = {
          StoreActor::_$unimplementedEndpoint("\\(Self.self).currentTime")
          return nil
        }
      }
      """,
      macros: dependencyClientMacros,
    )
  }

  @Test("What the compiler says of a default is said where the author has written it")
  func placedDefault() {
    expectExpansion(
      """
      struct FactClient {
        @DependencyEndpoint var count: () -> Int = {
          1
        }
      }
      """,
      """
      struct FactClient {
        var count: () -> Int {
          @storageRestrictions(initializes: _count)
          init(initialValue) {
            _count = initialValue
          }
          get {
            _count
          }
          set {
            _count = newValue
          }
        }

        private var _count: () -> Int = {
          StoreActor::_$unimplementedEndpoint("\\(Self.self).count")
          #sourceLocation(file: "test.swift", line: 3)
          return 1
          #sourceLocation()
        }
      }
      """,
      macros: dependencyClientMacros,
    )
  }

  @Test("An endpoint that returns something and cannot throw any error needs a default")
  func missingDefault() {
    expectExpansion(
      """
      struct FactClient {
        @DependencyEndpoint var count: (Int, Int) -> Int
      }
      """,
      """
      struct FactClient {
        var count: (Int, Int) -> Int
      }
      """,
      macros: dependencyClientMacros,
      diagnostics: [
        DiagnosticSpec(
          message: """
            'count' needs a default value: an endpoint without an implementation reports so and \
            must then return some 'Int', because it cannot throw any error
            """,
          line: 2,
          column: 27,
          fixIts: [FixItSpec(message: "Give it a default")],
        )
      ],
      fixed: """
        struct FactClient {
          @DependencyEndpoint var count: (Int, Int) -> Int = { _, _ in <#Int#> }
        }
        """,
    )
  }

  @Test("Only a closure can be an endpoint, and only a struct a client")
  func wrongDeclarations() {
    expectExpansion(
      """
      struct FactClient {
        @DependencyEndpoint var count: Int
      }
      """,
      """
      struct FactClient {
        var count: Int
      }
      """,
      macros: dependencyClientMacros,
      diagnostics: [
        DiagnosticSpec(
          message: """
            '@DependencyEndpoint' can only be applied to a 'var' with the type of a closure: 'var \
            fetch: @Sendable (_ id: Int) async throws -> User'
            """,
          line: 2,
          column: 3,
        )
      ],
    )
    expectExpansion(
      """
      @DependencyClient
      class FactClient {
      }
      """,
      """
      class FactClient {
      }
      """,
      macros: dependencyClientMacros,
      diagnostics: [
        DiagnosticSpec(
          message: """
            '@DependencyClient' can only be applied to a struct, whose closures a test replaces \
            one by one
            """,
          line: 1,
          column: 1,
          fixIts: [FixItSpec(message: "Make it a struct")],
        )
      ],
      fixed: """
        @DependencyClient
        struct FactClient {
        }
        """,
    )
  }
}

@Suite("The expansion of @DependencyEntry")
struct DependencyEntryExpansionTests {
  @Test("is a property and a private key")
  func internalEntry() {
    expectExpansion(
      """
      extension DependencyValues {
        @DependencyEntry(liveValue: FactClient.live) var facts: any FactClient = NoFacts()
      }
      """,
      """
      extension DependencyValues {
        var facts: any FactClient {
          get {
            self[__Key_facts.self]
          }
          set {
            self[__Key_facts.self] = newValue
          }
        }

        private nonisolated enum __Key_facts: StoreActor::DependencyKey {
          typealias Value = any FactClient
          static var liveValue: Value {
            #sourceLocation(file: "test.swift", line: 2)
            FactClient.live
            #sourceLocation()
          }
          static var testValue: Value {
            #sourceLocation(file: "test.swift", line: 2)
            NoFacts()
            #sourceLocation()
          }
        }
      }
      """,
      macros: dependencyClientMacros,
    )
  }

  @Test("of a public property has a public key, called by its type or as it says")
  func publicEntry() {
    expectExpansion(
      """
      public extension DependencyValues {
        @DependencyEntry var facts: any FactClient = NoFacts()
        @DependencyEntry("Number") internal var number = 3
      }
      """,
      """
      public extension DependencyValues {
        var facts: any FactClient {
          get {
            self[FactClientKey.self]
          }
          set {
            self[FactClientKey.self] = newValue
          }
        }

        public nonisolated enum FactClientKey: StoreActor::TestDependencyKey {
          public typealias Value = any FactClient
          public static var testValue: Value {
            #sourceLocation(file: "test.swift", line: 2)
            NoFacts()
            #sourceLocation()
          }
        }
        internal var number {
          get {
            self[Number.self]
          }
          set {
            self[Number.self] = newValue
          }
        }

        private nonisolated enum Number: StoreActor::TestDependencyKey {
          #sourceLocation(file: "test.swift", line: 3)
          static let testValue = 3
          #sourceLocation()
        }
      }
      """,
      macros: dependencyClientMacros,
    )
  }

  @Test("refuses what is no such property, and one without a value")
  func mistakes() {
    expectExpansion(
      """
      struct Values {
        @DependencyEntry var facts = 3
      }
      extension DependencyValues {
        @DependencyEntry var facts: Int
      }
      """,
      """
      struct Values {
        var facts = 3
      }
      extension DependencyValues {
        var facts: Int
      }
      """,
      macros: dependencyClientMacros,
      diagnostics: [
        DiagnosticSpec(
          message: "'@DependencyEntry' can only be applied to a 'var' in an extension of "
            + "'DependencyValues': '@DependencyEntry var facts = FactClient()'",
          line: 2,
          column: 3,
        ),
        DiagnosticSpec(
          message: "'facts' needs a value for tests, as its default, or a 'liveValue'",
          line: 5,
          column: 3,
        ),
      ],
    )
  }
}
