/// What the tests of actions in two parts expect, where it is long.
enum ExpectedSplitActions {
  static let merged = """
    public struct Login {
      struct State {}
      let body = EmptyReducer<State, Action>()
      public enum ViewAction: Hashable, Sendable {
        case nameChanged(to: String), submitted
        indirect case delegate(Delegate)
        public enum Delegate {}
      }
      public enum ReducerAction: Equatable, Sendable {
        #if DEBUG
          case loginResponse(User, status: Int)
        #endif
      }

      public enum Action: Sendable, Equatable, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case nameChanged(to: String)
        case submitted
        indirect case delegate(Delegate)
        #if DEBUG
        case loginResponse(User, status: Int)
        #endif
        public typealias Delegate = ViewAction.Delegate
        public init(viewAction: ViewAction) {
          switch viewAction {
          case .nameChanged(let v0):
            self = .nameChanged(to: v0)
          case .submitted:
            self = .submitted
          case .delegate(let v0):
            self = .delegate(v0)
          }
        }
        public init(reducerAction: ReducerAction) {
          switch reducerAction {
          #if DEBUG
          case .loginResponse(let v0, let v1):
            self = .loginResponse(v0, status: v1)
          #endif
          }
        }

        public nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          public init() {
          }
          public subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            switch root {
            case .nameChanged:
              return \\.nameChanged
            case .submitted:
              return \\.submitted
            case .delegate:
              return \\.delegate
            #if DEBUG
            case .loginResponse:
              return \\.loginResponse
            #endif
            }
          }
          public var nameChanged: StoreActor::AnyCasePath<Action, String> {
            StoreActor::AnyCasePath<Action, String>(
              _$name: "nameChanged",
              embed: Action.nameChanged(to:),
              extract: {
                guard case .nameChanged(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var submitted: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "submitted",
              embed: {
                Action.submitted
              },
              extract: {
                guard case .submitted = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          public var delegate: StoreActor::AnyCasePath<Action, Delegate> {
            StoreActor::AnyCasePath<Action, Delegate>(
              _$name: "delegate",
              embed: Action.delegate,
              extract: {
                guard case .delegate(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          #if DEBUG
          public var loginResponse: StoreActor::AnyCasePath<Action, (User, status: Int)> {
            StoreActor::AnyCasePath<Action, (User, status: Int)>(
              _$name: "loginResponse",
              embed: {
                Action.loginResponse($0.0, status: $0.1)
              },
              extract: {
                guard case .loginResponse(let v0, let v1) = $0 else {
                  return nil
                }
                return (v0, status: v1)
              }
            )
          }
          #endif
          public var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(4)
            list.append(\\.nameChanged)
            list.append(\\.submitted)
            list.append(\\.delegate)
            #if DEBUG
            list.append(\\.loginResponse)
            #endif
            return list
          }
        }
      }
    }

    extension Login: nonisolated StoreActor::Reducer {
    }
    """

  static let viewOnly = """
    struct Login {
      struct State {}
      let body = EmptyReducer<State, Action>()
      enum ViewAction: Equatable {
        case submitted
      }

      enum Action: Equatable, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case submitted
        init(viewAction: ViewAction) {
          switch viewAction {
          case .submitted:
            self = .submitted
          }
        }

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            switch root {
            case .submitted:
              return \\.submitted
            }
          }
          var submitted: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "submitted",
              embed: {
                Action.submitted
              },
              extract: {
                guard case .submitted = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(1)
            list.append(\\.submitted)
            return list
          }
        }
      }
    }

    extension Login: nonisolated StoreActor::Reducer {
    }
    """

  static let durableAction = """
    struct Login {
      struct State {}
      let body = EmptyReducer<State, Action>()
      @StoreActor::CasePathable
      enum ViewAction: WireAction {
        case submitted
      }
      @StoreActor::CasePathable
      enum ReducerAction: DurableAction {
        case loginResponse(User)
        @DurableIgnored case tokenReceived(Token)
      }

      enum Action: WireAction, DurableAction, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case submitted
        @StoreActor::ReplicationIgnored
        case loginResponse(User)
        @DurableIgnored
        @StoreActor::ReplicationIgnored
        case tokenReceived(Token)
        init(viewAction: ViewAction) {
          switch viewAction {
          case .submitted:
            self = .submitted
          }
        }
        init(reducerAction: ReducerAction) {
          switch reducerAction {
          case .loginResponse(let v0):
            self = .loginResponse(v0)
          case .tokenReceived(let v0):
            self = .tokenReceived(v0)
          }
        }

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            switch root {
            case .submitted:
              return \\.submitted
            case .loginResponse:
              return \\.loginResponse
            case .tokenReceived:
              return \\.tokenReceived
            }
          }
          var submitted: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "submitted",
              embed: {
                Action.submitted
              },
              extract: {
                guard case .submitted = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var loginResponse: StoreActor::AnyCasePath<Action, User> {
            StoreActor::AnyCasePath<Action, User>(
              _$name: "loginResponse",
              embed: Action.loginResponse,
              extract: {
                guard case .loginResponse(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var tokenReceived: StoreActor::AnyCasePath<Action, Token> {
            StoreActor::AnyCasePath<Action, Token>(
              _$name: "tokenReceived",
              embed: Action.tokenReceived,
              extract: {
                guard case .tokenReceived(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(3)
            list.append(\\.submitted)
            list.append(\\.loginResponse)
            list.append(\\.tokenReceived)
            return list
          }
        }

        nonisolated static func schema(
          in registry: inout StoreActor::SchemaRegistry
        ) -> StoreActor::Schema {
          registry.define(Self.self, name: "Login.Action") { registry in
            var schema = StoreActor::_$ActionSchema()
            schema.add("submitted")
            if registry._$isDurable {
              _ = ReducerAction.schema(in: &registry)
            }
            return .choice(schema.cases)
          }
        }

        nonisolated func encode(
          to encoder: inout StoreActor::CBOREncoder
        ) throws(StoreActor::CodecError) {
          switch self {
          case .submitted:
            encoder.encode(name: "submitted")
          case .loginResponse(let v0):
            guard encoder._$isDurable else {
              throw StoreActor::CodecError._$privateAction("loginResponse", of: "Login.Action")
            }
            encoder._$payload(of: "loginResponse", 1)
            try encoder._$part(v0, "_0", of: "loginResponse")
          case .tokenReceived:
            throw StoreActor::CodecError._$privateAction("tokenReceived", of: "Login.Action")
          }
        }

        nonisolated init(
          from decoder: inout StoreActor::CBORDecoder
        ) throws(StoreActor::CodecError) {
          let action = try StoreActor::_$ChoiceReader(&decoder, of: "action")
          if try action.finds("submitted", hasPayload: false, &decoder) {
            self = .submitted
            return
          }
          if decoder._$isDurable, try action.finds("loginResponse", hasPayload: true, &decoder) {
            do throws(StoreActor::CodecError) {
              var parts = try StoreActor::_$FieldReader(&decoder)
              self = try parts._$only("_0", &decoder, Self.loginResponse)
              return
            } catch {
              throw error.inside(.name("loginResponse"))
            }
          }
          var names: [Swift.String] = []
          names.reserveCapacity(2)
          names.append("submitted")
          if decoder._$isDurable {
            names.append("loginResponse")
          }
          throw action.unknown(names, &decoder)
        }
      }
    }

    extension Login: nonisolated StoreActor::Reducer {
    }
    """

  static let wireAction = """
    struct Login {
      struct State {}
      let body = EmptyReducer<State, Action>()
      @StoreActor::CasePathable
      enum ViewAction: WireAction {
        case submitted
      }
      enum ReducerAction {
        case loginResponse(User)
      }

      enum Action: WireAction, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case submitted
        @StoreActor::ReplicationIgnored
        case loginResponse(User)
        init(viewAction: ViewAction) {
          switch viewAction {
          case .submitted:
            self = .submitted
          }
        }
        init(reducerAction: ReducerAction) {
          switch reducerAction {
          case .loginResponse(let v0):
            self = .loginResponse(v0)
          }
        }

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            switch root {
            case .submitted:
              return \\.submitted
            case .loginResponse:
              return \\.loginResponse
            }
          }
          var submitted: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "submitted",
              embed: {
                Action.submitted
              },
              extract: {
                guard case .submitted = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var loginResponse: StoreActor::AnyCasePath<Action, User> {
            StoreActor::AnyCasePath<Action, User>(
              _$name: "loginResponse",
              embed: Action.loginResponse,
              extract: {
                guard case .loginResponse(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(2)
            list.append(\\.submitted)
            list.append(\\.loginResponse)
            return list
          }
        }

        nonisolated static func schema(
          in registry: inout StoreActor::SchemaRegistry
        ) -> StoreActor::Schema {
          registry.define(Self.self, name: "Login.Action") { registry in
            var schema = StoreActor::_$ActionSchema()
            schema.add("submitted")
            return .choice(schema.cases)
          }
        }

        nonisolated func encode(
          to encoder: inout StoreActor::CBOREncoder
        ) throws(StoreActor::CodecError) {
          switch self {
          case .submitted:
            encoder.encode(name: "submitted")
          case .loginResponse:
            throw StoreActor::CodecError._$privateAction("loginResponse", of: "Login.Action")
          }
        }

        nonisolated init(
          from decoder: inout StoreActor::CBORDecoder
        ) throws(StoreActor::CodecError) {
          let action = try StoreActor::_$ChoiceReader(&decoder, of: "action")
          if try action.finds("submitted", hasPayload: false, &decoder) {
            self = .submitted
            return
          }
          var names: [Swift.String] = []
          names.reserveCapacity(1)
          names.append("submitted")
          throw action.unknown(names, &decoder)
        }
      }
    }

    extension Login: nonisolated StoreActor::Reducer {
    }
    """

  static let inheritance = """
    struct Login {
      struct State {}
      let body = EmptyReducer<State, Action>()
      enum ViewAction: Equatable {
        case submitted
      }
      enum ReducerAction {
        case response
      }

      enum Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case submitted
        case response
        init(viewAction: ViewAction) {
          switch viewAction {
          case .submitted:
            self = .submitted
          }
        }
        init(reducerAction: ReducerAction) {
          switch reducerAction {
          case .response:
            self = .response
          }
        }

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            switch root {
            case .submitted:
              return \\.submitted
            case .response:
              return \\.response
            }
          }
          var submitted: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "submitted",
              embed: {
                Action.submitted
              },
              extract: {
                guard case .submitted = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var response: StoreActor::AnyCasePath<Action, Swift.Void> {
            StoreActor::AnyCasePath<Action, Swift.Void>(
              _$name: "response",
              embed: {
                Action.response
              },
              extract: {
                guard case .response = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(2)
            list.append(\\.submitted)
            list.append(\\.response)
            return list
          }
        }
      }
    }

    extension Login: nonisolated StoreActor::Reducer {
    }
    """
}
