/// What the tests of `@CasePathable` expect, where it is long.
enum ExpectedCasePaths {
  static let cases = """
    enum Action {
      case plain
      case single(Int)
      case labelled(count: Int)
      case several(first: String, Int)

      nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
        init() {
        }
        subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
          switch root {
          case .plain:
            return \\.plain
          case .single:
            return \\.single
          case .labelled:
            return \\.labelled
          case .several:
            return \\.several
          }
        }
        var plain: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "plain",
            embed: {
              Action.plain
            },
            extract: {
              guard case .plain = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        var single: StoreActor::AnyCasePath<Action, Int> {
          StoreActor::AnyCasePath<Action, Int>(
            _$name: "single",
            embed: Action.single,
            extract: {
              guard case .single(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        var labelled: StoreActor::AnyCasePath<Action, Int> {
          StoreActor::AnyCasePath<Action, Int>(
            _$name: "labelled",
            embed: Action.labelled(count:),
            extract: {
              guard case .labelled(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        var several: StoreActor::AnyCasePath<Action, (first: String, Int)> {
          StoreActor::AnyCasePath<Action, (first: String, Int)>(
            _$name: "several",
            embed: {
              Action.several(first: $0.0, $0.1)
            },
            extract: {
              guard case .several(let v0, let v1) = $0 else {
                return nil
              }
              return (first: v0, v1)
            }
          )
        }
        var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
          var list: [StoreActor::PartialCaseKeyPath<Action>] = []
          list.reserveCapacity(4)
          list.append(\\.plain)
          list.append(\\.single)
          list.append(\\.labelled)
          list.append(\\.several)
          return list
        }
      }
    }

    extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
    }
    """

  static let conditions = """
    enum Action {
      case always
      #if os(macOS)
        case here(Int)
      #else
        case elsewhere(String)
      #endif

      nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
        init() {
        }
        subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
          switch root {
          case .always:
            return \\.always
          #if os(macOS)
          case .here:
            return \\.here
          #else
          case .elsewhere:
            return \\.elsewhere
          #endif
          }
        }
        var always: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "always",
            embed: {
              Action.always
            },
            extract: {
              guard case .always = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        #if os(macOS)
        var here: StoreActor::AnyCasePath<Action, Int> {
          StoreActor::AnyCasePath<Action, Int>(
            _$name: "here",
            embed: Action.here,
            extract: {
              guard case .here(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        #else
        var elsewhere: StoreActor::AnyCasePath<Action, String> {
          StoreActor::AnyCasePath<Action, String>(
            _$name: "elsewhere",
            embed: Action.elsewhere,
            extract: {
              guard case .elsewhere(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        #endif
        var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
          var list: [StoreActor::PartialCaseKeyPath<Action>] = []
          list.reserveCapacity(3)
          list.append(\\.always)
          #if os(macOS)
          list.append(\\.here)
          #else
          list.append(\\.elsewhere)
          #endif
          return list
        }
      }
    }

    extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
    }
    """

  static let availability = """
    @available(macOS 20, *)
    enum Action {
      @available(*, deprecated) case old
      @available(macOS 99, *) case new
      case always

      nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
        init() {
        }
        @available(*, deprecated, message: "It mentions cases that are.")
        subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
          if case .old = root {
            return \\.old
          }
          if #available(macOS 99, *), case .new = root {
            return \\.new
          }
          return \\.always
        }
        @available(*, deprecated)
        var old: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "old",
            embed: {
              Action.old
            },
            extract: {
              guard case .old = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        @available(macOS 99, *)
        var new: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "new",
            embed: {
              Action.new
            },
            extract: {
              guard case .new = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        var always: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "always",
            embed: {
              Action.always
            },
            extract: {
              guard case .always = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        @available(*, deprecated, message: "It mentions cases that are.")
        var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
          var list: [StoreActor::PartialCaseKeyPath<Action>] = []
          list.reserveCapacity(3)
          list.append(\\.old)
          if #available(macOS 99, *) {
            list.append(\\.new)
          }
          list.append(\\.always)
          return list
        }
      }
    }

    @available(macOS 20, *)
    extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
    }
    """

  static let durableAction = """
    enum Action: DurableAction {
      case tapped
      @ReplicationIgnored case response(Int)
      @ReplicationIgnored case ended
      @ReplicationIgnored @DurableIgnored case secret(Key)

      nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
        init() {
        }
        subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
          switch root {
          case .tapped:
            return \\.tapped
          case .response:
            return \\.response
          case .ended:
            return \\.ended
          case .secret:
            return \\.secret
          }
        }
        var tapped: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "tapped",
            embed: {
              Action.tapped
            },
            extract: {
              guard case .tapped = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        var response: StoreActor::AnyCasePath<Action, Int> {
          StoreActor::AnyCasePath<Action, Int>(
            _$name: "response",
            embed: Action.response,
            extract: {
              guard case .response(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        var ended: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "ended",
            embed: {
              Action.ended
            },
            extract: {
              guard case .ended = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        var secret: StoreActor::AnyCasePath<Action, Key> {
          StoreActor::AnyCasePath<Action, Key>(
            _$name: "secret",
            embed: Action.secret,
            extract: {
              guard case .secret(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
          var list: [StoreActor::PartialCaseKeyPath<Action>] = []
          list.reserveCapacity(4)
          list.append(\\.tapped)
          list.append(\\.response)
          list.append(\\.ended)
          list.append(\\.secret)
          return list
        }
      }

      nonisolated static func schema(
        in registry: inout StoreActor::SchemaRegistry
      ) -> StoreActor::Schema {
        registry.define(Self.self, name: "Action") { registry in
          var schema = StoreActor::_$ActionSchema()
          schema.add("tapped")
          #sourceLocation(file: "test.swift", line: 4)
          StoreActor::_$ActionSchema.keep(Self.response, in: &registry)
          #sourceLocation()
          return .choice(schema.cases)
        }
      }

      nonisolated func encode(
        to encoder: inout StoreActor::CBOREncoder
      ) throws(StoreActor::CodecError) {
        switch self {
        case .tapped:
          encoder.encode(name: "tapped")
        case .response(let v0):
          guard encoder._$isDurable else {
            throw StoreActor::CodecError._$privateAction("response", of: "Action")
          }
          encoder._$payload(of: "response", 1)
          try encoder._$part(v0, "_0", of: "response")
        case .ended:
          guard encoder._$isDurable else {
            throw StoreActor::CodecError._$privateAction("ended", of: "Action")
          }
          encoder.encode(name: "ended")
        case .secret:
          throw StoreActor::CodecError._$privateAction("secret", of: "Action")
        }
      }

      nonisolated init(
        from decoder: inout StoreActor::CBORDecoder
      ) throws(StoreActor::CodecError) {
        let action = try StoreActor::_$ChoiceReader(&decoder, of: "action")
        if try action.finds("tapped", hasPayload: false, &decoder) {
          self = .tapped
          return
        }
        if decoder._$isDurable, try action.finds("response", hasPayload: true, &decoder) {
          do throws(StoreActor::CodecError) {
            var parts = try StoreActor::_$FieldReader(&decoder)
            self = try parts._$only("_0", &decoder, Self.response)
            return
          } catch {
            throw error.inside(.name("response"))
          }
        }
        if decoder._$isDurable, try action.finds("ended", hasPayload: false, &decoder) {
          self = .ended
          return
        }
        var names: [Swift.String] = []
        names.reserveCapacity(3)
        names.append("tapped")
        if decoder._$isDurable {
          names.append("response")
        }
        if decoder._$isDurable {
          names.append("ended")
        }
        throw action.unknown(names, &decoder)
      }
    }

    extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
    }
    """

  static let wireAction = """
    enum Action: WireAction {
      case tapped
      case moved(to: Int, by: String)
      @Replicated(formerly: "old") case renamed(Int)
      @ReplicationIgnored case response(Int)

      nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
        init() {
        }
        subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
          switch root {
          case .tapped:
            return \\.tapped
          case .moved:
            return \\.moved
          case .renamed:
            return \\.renamed
          case .response:
            return \\.response
          }
        }
        var tapped: StoreActor::AnyCasePath<Action, Swift.Void> {
          StoreActor::AnyCasePath<Action, Swift.Void>(
            _$name: "tapped",
            embed: {
              Action.tapped
            },
            extract: {
              guard case .tapped = $0 else {
                return nil
              }
              return ()
            }
          )
        }
        var moved: StoreActor::AnyCasePath<Action, (to: Int, by: String)> {
          StoreActor::AnyCasePath<Action, (to: Int, by: String)>(
            _$name: "moved",
            embed: {
              Action.moved(to: $0.0, by: $0.1)
            },
            extract: {
              guard case .moved(let v0, let v1) = $0 else {
                return nil
              }
              return (to: v0, by: v1)
            }
          )
        }
        var renamed: StoreActor::AnyCasePath<Action, Int> {
          StoreActor::AnyCasePath<Action, Int>(
            _$name: "renamed",
            embed: Action.renamed,
            extract: {
              guard case .renamed(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        var response: StoreActor::AnyCasePath<Action, Int> {
          StoreActor::AnyCasePath<Action, Int>(
            _$name: "response",
            embed: Action.response,
            extract: {
              guard case .response(let v0) = $0 else {
                return nil
              }
              return v0
            }
          )
        }
        var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
          var list: [StoreActor::PartialCaseKeyPath<Action>] = []
          list.reserveCapacity(4)
          list.append(\\.tapped)
          list.append(\\.moved)
          list.append(\\.renamed)
          list.append(\\.response)
          return list
        }
      }

      nonisolated static func schema(
        in registry: inout StoreActor::SchemaRegistry
      ) -> StoreActor::Schema {
        registry.define(Self.self, name: "Action") { registry in
          var schema = StoreActor::_$ActionSchema()
          schema.add("tapped")
          #sourceLocation(file: "test.swift", line: 4)
          schema.add("moved", ["to", "by"], Self.moved, in: &registry)
          #sourceLocation()
          #sourceLocation(file: "test.swift", line: 5)
          schema.add("renamed", ["_0"], Self.renamed, in: &registry)
          #sourceLocation()
          return .choice(schema.cases)
        }
      }

      nonisolated func encode(
        to encoder: inout StoreActor::CBOREncoder
      ) throws(StoreActor::CodecError) {
        switch self {
        case .tapped:
          encoder.encode(name: "tapped")
        case .moved(let v0, let v1):
          encoder._$payload(of: "moved", 2)
          try encoder._$part(v1, "by", of: "moved")
          try encoder._$part(v0, "to", of: "moved")
        case .renamed(let v0):
          encoder._$payload(of: "renamed", 1)
          try encoder._$part(v0, "_0", of: "renamed")
        case .response:
          throw StoreActor::CodecError._$privateAction("response", of: "Action")
        }
      }

      nonisolated init(
        from decoder: inout StoreActor::CBORDecoder
      ) throws(StoreActor::CodecError) {
        let action = try StoreActor::_$ChoiceReader(&decoder, of: "action")
        if try action.finds("tapped", hasPayload: false, &decoder) {
          self = .tapped
          return
        }
        if try action.finds("moved", hasPayload: true, &decoder) {
          do throws(StoreActor::CodecError) {
            var parts = try StoreActor::_$ShuffledReader(["to", "by"], order: [1, 0], &decoder)
            let v0: Int = try parts._$part(0, of: "to")
            let v1: String = try parts._$part(1, of: "by")
            self = .moved(to: v0, by: v1)
            return
          } catch {
            throw error.inside(.name("moved"))
          }
        }
        if try action.finds("renamed", formerly: "old", hasPayload: true, &decoder) {
          do throws(StoreActor::CodecError) {
            var parts = try StoreActor::_$FieldReader(&decoder)
            self = try parts._$only("_0", &decoder, Self.renamed)
            return
          } catch {
            throw error.inside(.name("renamed"))
          }
        }
        var names: [Swift.String] = []
        names.reserveCapacity(3)
        names.append("tapped")
        names.append("moved")
        names.append("renamed")
        throw action.unknown(names, &decoder)
      }
    }

    extension Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
    }
    """
}
