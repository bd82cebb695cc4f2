/// What the tests of enum reducers expect, where it is long.
enum ExpectedEnumReducers {
  static let cases = """
    public enum Path {
      case detail(Detail)
      case meeting(Meeting = Meeting(isDraft: true))
      case alert(AlertState<Alert>)
      case banner(Banner<Alert>)
      case note(String, size: Int)
      case nothing
      #if DEBUG
        case debug(Debug<Int>)
      #endif

      @dynamicMemberLookup
      public enum State: StoreActor::CaseReducerState, StoreActor::ObservableState, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        public typealias StateReducer = Path
        case detail(Detail.State)
        case meeting(Meeting.State)
        case alert(AlertState<Alert>)
        case banner(Banner<Alert>)
        case note(String, size: Int)
        case nothing
        #if DEBUG
        case debug(Debug<Int>.State)
        #endif

        public nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          public init() {
          }
          public subscript(root: State) -> StoreActor::PartialCaseKeyPath<State> {
            switch root {
            case .detail:
              return \\.detail
            case .meeting:
              return \\.meeting
            case .alert:
              return \\.alert
            case .banner:
              return \\.banner
            case .note:
              return \\.note
            case .nothing:
              return \\.nothing
            #if DEBUG
            case .debug:
              return \\.debug
            #endif
            }
          }
          public var detail: StoreActor::AnyCasePath<State, Detail.State> {
            StoreActor::AnyCasePath<State, Detail.State>(
              _$name: "detail",
              embed: State.detail,
              extract: {
                guard case .detail(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var meeting: StoreActor::AnyCasePath<State, Meeting.State> {
            StoreActor::AnyCasePath<State, Meeting.State>(
              _$name: "meeting",
              embed: State.meeting,
              extract: {
                guard case .meeting(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var alert: StoreActor::AnyCasePath<State, AlertState<Alert>> {
            StoreActor::AnyCasePath<State, AlertState<Alert>>(
              _$name: "alert",
              embed: State.alert,
              extract: {
                guard case .alert(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var banner: StoreActor::AnyCasePath<State, Banner<Alert>> {
            StoreActor::AnyCasePath<State, Banner<Alert>>(
              _$name: "banner",
              embed: State.banner,
              extract: {
                guard case .banner(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var note: StoreActor::AnyCasePath<State, (String, size: Int)> {
            StoreActor::AnyCasePath<State, (String, size: Int)>(
              _$name: "note",
              embed: {
                State.note($0.0, size: $0.1)
              },
              extract: {
                guard case .note(let v0, let v1) = $0 else {
                  return nil
                }
                return (v0, size: v1)
              }
            )
          }
          public var nothing: StoreActor::AnyCasePath<State, Swift.Void> {
            StoreActor::AnyCasePath<State, Swift.Void>(
              _$name: "nothing",
              embed: {
                State.nothing
              },
              extract: {
                guard case .nothing = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          #if DEBUG
          public var debug: StoreActor::AnyCasePath<State, Debug<Int>.State> {
            StoreActor::AnyCasePath<State, Debug<Int>.State>(
              _$name: "debug",
              embed: State.debug,
              extract: {
                guard case .debug(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          #endif
          public var _$list: [StoreActor::PartialCaseKeyPath<State>] {
            var list: [StoreActor::PartialCaseKeyPath<State>] = []
            list.reserveCapacity(7)
            list.append(\\.detail)
            list.append(\\.meeting)
            list.append(\\.alert)
            list.append(\\.banner)
            list.append(\\.note)
            list.append(\\.nothing)
            #if DEBUG
            list.append(\\.debug)
            #endif
            return list
          }
        }

        public var _$id: StoreActor::ObservableStateID {
          switch self {
          case .detail(let value):
            StoreActor::ObservableStateID._$id(for: value)._$tag(0)
          case .meeting(let value):
            StoreActor::ObservableStateID._$id(for: value)._$tag(1)
          case .alert(let value):
            StoreActor::ObservableStateID._$id(for: value)._$tag(2)
          case .banner(let value):
            StoreActor::ObservableStateID._$id(for: value)._$tag(3)
          case .note:
            StoreActor::ObservableStateID()._$tag(4)
          case .nothing:
            StoreActor::ObservableStateID()._$tag(5)
          #if DEBUG
            case .debug(let value):
              StoreActor::ObservableStateID._$id(for: value)._$tag(6)
          #endif
          }
        }
      }

      public enum Action: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case detail(Detail.Action)
        case meeting(Meeting.Action)
        case alert(AlertState<Alert>.Action)
        case banner(Banner<Alert>.Action)
        case note(Swift.Never)
        case nothing(Swift.Never)
        #if DEBUG
        case debug(Debug<Int>.Action)
        #endif

        public nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          public init() {
          }
          public subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            if case .detail = root {
              return \\.detail
            }
            if case .meeting = root {
              return \\.meeting
            }
            if case .alert = root {
              return \\.alert
            }
            if case .banner = root {
              return \\.banner
            }
            if case .note = root {
              return \\.note
            }
            #if DEBUG
            if case .debug = root {
              return \\.debug
            }
            #endif
            return \\.nothing
          }
          public var detail: StoreActor::AnyCasePath<Action, Detail.Action> {
            StoreActor::AnyCasePath<Action, Detail.Action>(
              _$name: "detail",
              embed: Action.detail,
              extract: {
                guard case .detail(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var meeting: StoreActor::AnyCasePath<Action, Meeting.Action> {
            StoreActor::AnyCasePath<Action, Meeting.Action>(
              _$name: "meeting",
              embed: Action.meeting,
              extract: {
                guard case .meeting(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var alert: StoreActor::AnyCasePath<Action, AlertState<Alert>.Action> {
            StoreActor::AnyCasePath<Action, AlertState<Alert>.Action>(
              _$name: "alert",
              embed: Action.alert,
              extract: {
                guard case .alert(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var banner: StoreActor::AnyCasePath<Action, Banner<Alert>.Action> {
            StoreActor::AnyCasePath<Action, Banner<Alert>.Action>(
              _$name: "banner",
              embed: Action.banner,
              extract: {
                guard case .banner(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var note: StoreActor::AnyCasePath<Action, Swift.Never> {
            StoreActor::AnyCasePath<Action, Swift.Never>(
              _$name: "note",
              embed: Action.note,
              extract: {
                guard case .note(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var nothing: StoreActor::AnyCasePath<Action, Swift.Never> {
            StoreActor::AnyCasePath<Action, Swift.Never>(
              _$name: "nothing",
              embed: Action.nothing,
              extract: {
                guard case .nothing(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          #if DEBUG
          public var debug: StoreActor::AnyCasePath<Action, Debug<Int>.Action> {
            StoreActor::AnyCasePath<Action, Debug<Int>.Action>(
              _$name: "debug",
              embed: Action.debug,
              extract: {
                guard case .debug(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          #endif
          public var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(7)
            list.append(\\.detail)
            list.append(\\.meeting)
            list.append(\\.alert)
            list.append(\\.banner)
            list.append(\\.note)
            list.append(\\.nothing)
            #if DEBUG
            list.append(\\.debug)
            #endif
            return list
          }
        }
      }

      public typealias Body = StoreActor::Reduce<Self.State, Self.Action>

      public static var body: StoreActor::Reduce<Self.State, Self.Action> {
        StoreActor::Reduce<Self.State, Self.Action>._$cases { cases in
          cases.add(
            \\Self.State.Cases.detail,
            action: \\Self.Action.Cases.detail,
            reducer: Detail()
          )
          cases.add(
            \\Self.State.Cases.meeting,
            action: \\Self.Action.Cases.meeting,
            reducer: Meeting(isDraft: true)
          )
          #if DEBUG
          cases.add(
            \\Self.State.Cases.debug,
            action: \\Self.Action.Cases.debug,
            reducer: Debug<Int>()
          )
          #endif
        }
      }

      @dynamicMemberLookup
      public enum CaseScope: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case detail(StoreActor::StoreOf<Detail>)
        case meeting(StoreActor::StoreOf<Meeting>)
        case alert(AlertState<Alert>)
        case banner(Banner<Alert>)
        case note(String, size: Int)
        case nothing
        #if DEBUG
        case debug(StoreActor::StoreOf<Debug<Int>>)
        #endif

        public nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          public init() {
          }
          public subscript(root: CaseScope) -> StoreActor::PartialCaseKeyPath<CaseScope> {
            switch root {
            case .detail:
              return \\.detail
            case .meeting:
              return \\.meeting
            case .alert:
              return \\.alert
            case .banner:
              return \\.banner
            case .note:
              return \\.note
            case .nothing:
              return \\.nothing
            #if DEBUG
            case .debug:
              return \\.debug
            #endif
            }
          }
          public var detail: StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Detail>> {
            StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Detail>>(
              _$name: "detail",
              embed: CaseScope.detail,
              extract: {
                guard case .detail(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var meeting: StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Meeting>> {
            StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Meeting>>(
              _$name: "meeting",
              embed: CaseScope.meeting,
              extract: {
                guard case .meeting(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var alert: StoreActor::AnyCasePath<CaseScope, AlertState<Alert>> {
            StoreActor::AnyCasePath<CaseScope, AlertState<Alert>>(
              _$name: "alert",
              embed: CaseScope.alert,
              extract: {
                guard case .alert(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var banner: StoreActor::AnyCasePath<CaseScope, Banner<Alert>> {
            StoreActor::AnyCasePath<CaseScope, Banner<Alert>>(
              _$name: "banner",
              embed: CaseScope.banner,
              extract: {
                guard case .banner(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          public var note: StoreActor::AnyCasePath<CaseScope, (String, size: Int)> {
            StoreActor::AnyCasePath<CaseScope, (String, size: Int)>(
              _$name: "note",
              embed: {
                CaseScope.note($0.0, size: $0.1)
              },
              extract: {
                guard case .note(let v0, let v1) = $0 else {
                  return nil
                }
                return (v0, size: v1)
              }
            )
          }
          public var nothing: StoreActor::AnyCasePath<CaseScope, Swift.Void> {
            StoreActor::AnyCasePath<CaseScope, Swift.Void>(
              _$name: "nothing",
              embed: {
                CaseScope.nothing
              },
              extract: {
                guard case .nothing = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          #if DEBUG
          public var debug: StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Debug<Int>>> {
            StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Debug<Int>>>(
              _$name: "debug",
              embed: CaseScope.debug,
              extract: {
                guard case .debug(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          #endif
          public var _$list: [StoreActor::PartialCaseKeyPath<CaseScope>] {
            var list: [StoreActor::PartialCaseKeyPath<CaseScope>] = []
            list.reserveCapacity(7)
            list.append(\\.detail)
            list.append(\\.meeting)
            list.append(\\.alert)
            list.append(\\.banner)
            list.append(\\.note)
            list.append(\\.nothing)
            #if DEBUG
            list.append(\\.debug)
            #endif
            return list
          }
        }
      }

      @MainActor
      public static func scope(
        _ store: StoreActor::Store<Self.State, Self.Action>
      ) -> CaseScope {
        switch store._$caseState {
        case .detail(let v0):
          return .detail(
            store._$scope(
              \\.detail,
              action: \\Self.Action.Cases.detail,
              last: v0
            )
          )
        case .meeting(let v0):
          return .meeting(
            store._$scope(
              \\.meeting,
              action: \\Self.Action.Cases.meeting,
              last: v0
            )
          )
        case .alert(let v0):
          return .alert(v0)
        case .banner(let v0):
          return .banner(v0)
        case .note(let v0, let v1):
          return .note(v0, size: v1)
        case .nothing:
          return .nothing
        #if DEBUG
        case .debug(let v0):
          return .debug(
            store._$scope(
              \\.debug,
              action: \\Self.Action.Cases.debug,
              last: v0
            )
          )
        #endif
        }
      }
    }

    extension Path: nonisolated StoreActor::CaseReducer, nonisolated StoreActor::Reducer {
    }
    """

  static let conformances = """
    enum Path {
      case detail(Detail)
      case nothing

      @dynamicMemberLookup
      enum State: StoreActor::CaseReducerState, StoreActor::ObservableState, Swift.Equatable, StoreActor::ReplicatedState, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        typealias StateReducer = Path
        case detail(Detail.State)
        case nothing

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: State) -> StoreActor::PartialCaseKeyPath<State> {
            switch root {
            case .detail:
              return \\.detail
            case .nothing:
              return \\.nothing
            }
          }
          var detail: StoreActor::AnyCasePath<State, Detail.State> {
            StoreActor::AnyCasePath<State, Detail.State>(
              _$name: "detail",
              embed: State.detail,
              extract: {
                guard case .detail(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var nothing: StoreActor::AnyCasePath<State, Swift.Void> {
            StoreActor::AnyCasePath<State, Swift.Void>(
              _$name: "nothing",
              embed: {
                State.nothing
              },
              extract: {
                guard case .nothing = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<State>] {
            var list: [StoreActor::PartialCaseKeyPath<State>] = []
            list.reserveCapacity(2)
            list.append(\\.detail)
            list.append(\\.nothing)
            return list
          }
        }

        var _$id: StoreActor::ObservableStateID {
          switch self {
          case .detail(let value):
            StoreActor::ObservableStateID._$id(for: value)._$tag(0)
          case .nothing:
            StoreActor::ObservableStateID()._$tag(1)
          }
        }

        static func schema(in registry: inout StoreActor::SchemaRegistry) -> StoreActor::Schema {
          registry.define(Self.self, name: "Path") { registry in
            var schema = StoreActor::_$SchemaWriter()
            schema.case("detail", ["_0"], Self.detail, in: &registry)
            schema.case("nothing")
            return .choice(schema.cases)
          }
        }

        func encode(to encoder: inout StoreActor::CBOREncoder) {
          switch self {
          case .detail(let part0):
            encoder._$payload(of: "detail", 1)
            encoder._$field("_0", part0)
          case .nothing:
            encoder.encode(name: "nothing")
          }
        }

        init(from decoder: inout StoreActor::CBORDecoder) throws(StoreActor::CodecError) {
          let choice = try StoreActor::_$ChoiceReader(&decoder)
          if try choice.finds("detail", hasPayload: true, &decoder) {
            do throws(StoreActor::CodecError) {
              var fields = try StoreActor::_$FieldReader(&decoder)
              self = .detail(try fields.nextValue(of: "_0", StoreActor::_$FieldReader.Names(["_0"]), &decoder))
              try fields.finish(StoreActor::_$FieldReader.Names(["_0"]), &decoder)
            } catch {
              throw error.inside(.name("detail"))
            }
          } else if try choice.finds("nothing", hasPayload: false, &decoder) {
            self = .nothing
          } else {
            throw choice.unknown(Self._$caseNames, &decoder)
          }
        }

        private static var _$caseNames: [Swift.String] {
          ["detail", "nothing"]
        }

        static var _$isPlain: Swift.Bool {
          true
        }

        init(_$plain reader: inout StoreActor::_$PlainReader) throws(StoreActor::_$NotPlain) {
          let hasPayload = try reader.choice()
          if hasPayload, reader.finds("detail") {
            try reader.record(1)
            self = .detail(try reader.field("_0"))
            reader.leave()
            reader.leave()
          } else if !hasPayload, reader.finds("nothing") {
            self = .nothing
          } else {
            throw StoreActor::_$NotPlain()
          }
        }

        func encodeDelta(from old: Self, to encoder: inout StoreActor::CBOREncoder) -> Swift.Bool {
          switch self {
          case .detail(let part0):
            if case .detail(let old0) = old {
              var delta = StoreActor::_$DeltaWriter(case: 0, &encoder)
              delta.field(0, part0, old0, &encoder)
              return delta.finish(&encoder)
            }
          case .nothing:
            if case .nothing = old {
              return false
            }
          }
          return encoder._$replacement(self)
        }

        mutating func applyDelta(from decoder: inout StoreActor::CBORDecoder) throws(StoreActor::CodecError) {
          guard let changed = try decoder._$changedCase(of: 2) else {
            self = try Self(from: &decoder)
            return
          }
          switch self {
          case .detail(var part0):
            try decoder._$expect(changed, toBe: 0, Self._$caseNames)
            do throws(StoreActor::CodecError) {
              var changes = try StoreActor::_$PayloadChanges(&decoder)
              while let place = try changes.next(below: 1, &decoder) {
                switch place {
                default:
                  try decoder._$apply(to: &part0, of: "_0")
                }
              }
              self = .detail(part0)
            } catch {
              throw error.inside(.name("detail"))
            }
          case .nothing:
            try decoder._$expect(changed, toBe: 1, Self._$caseNames)
            throw decoder._$noPayload(in: "nothing")
          }
        }

        func _$isSame(as other: Self) -> Swift.Bool {
          switch self {
          case .detail(let part0):
            if case .detail(let other0) = other {
              guard StoreActor::_$areSame(part0, other0) else {
                return false
              }
              return true
            }
          case .nothing:
            if case .nothing = other {
              return true
            }
          }
          return false
        }

        var _$digest: StoreActor::Digest {
          switch self {
          case .detail(let part0):
            var digest = StoreActor::_$DigestWriter()
            digest.field(0x187a_b85d_0b09_e171, part0)
            return digest.finish(case: 0xacd8_9f27_f6c6_a2b2)
          case .nothing:
            return StoreActor::Digest(rawValue: 0x9798_8b5e_5a37_1b30)
          }
        }
      }

      enum Action: Swift.Sendable, StoreActor::WireAction, nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case detail(Detail.Action)
        @StoreActor::ReplicationIgnored
        case nothing(Swift.Never)

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: Action) -> StoreActor::PartialCaseKeyPath<Action> {
            if case .detail = root {
              return \\.detail
            }
            return \\.nothing
          }
          var detail: StoreActor::AnyCasePath<Action, Detail.Action> {
            StoreActor::AnyCasePath<Action, Detail.Action>(
              _$name: "detail",
              embed: Action.detail,
              extract: {
                guard case .detail(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var nothing: StoreActor::AnyCasePath<Action, Swift.Never> {
            StoreActor::AnyCasePath<Action, Swift.Never>(
              _$name: "nothing",
              embed: Action.nothing,
              extract: {
                guard case .nothing(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<Action>] {
            var list: [StoreActor::PartialCaseKeyPath<Action>] = []
            list.reserveCapacity(2)
            list.append(\\.detail)
            list.append(\\.nothing)
            return list
          }
        }

        nonisolated static func schema(
          in registry: inout StoreActor::SchemaRegistry
        ) -> StoreActor::Schema {
          registry.define(Self.self, name: "Path.Action") { registry in
            var schema = StoreActor::_$ActionSchema()
            schema.add("detail", ["_0"], Self.detail, in: &registry)
            return .choice(schema.cases)
          }
        }

        nonisolated func encode(
          to encoder: inout StoreActor::CBOREncoder
        ) throws(StoreActor::CodecError) {
          if case .detail(let v0) = self {
            encoder._$payload(of: "detail", 1)
            try encoder._$part(v0, "_0", of: "detail")
          }
          if case .nothing = self {
            throw StoreActor::CodecError._$privateAction("nothing", of: "Path.Action")
          }
        }

        nonisolated init(
          from decoder: inout StoreActor::CBORDecoder
        ) throws(StoreActor::CodecError) {
          let action = try StoreActor::_$ChoiceReader(&decoder, of: "action")
          if try action.finds("detail", hasPayload: true, &decoder) {
            do throws(StoreActor::CodecError) {
              var parts = try StoreActor::_$FieldReader(&decoder)
              self = try parts._$only("_0", &decoder, Self.detail)
              return
            } catch {
              throw error.inside(.name("detail"))
            }
          }
          var names: [Swift.String] = []
          names.reserveCapacity(1)
          names.append("detail")
          throw action.unknown(names, &decoder)
        }
      }

      typealias Body = StoreActor::Reduce<Self.State, Self.Action>

      static var body: StoreActor::Reduce<Self.State, Self.Action> {
        StoreActor::Reduce<Self.State, Self.Action>._$cases { cases in
          cases.add(
            \\Self.State.Cases.detail,
            action: \\Self.Action.Cases.detail,
            reducer: Detail()
          )
        }
      }

      @dynamicMemberLookup
      enum CaseScope: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case detail(StoreActor::StoreOf<Detail>)
        case nothing

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: CaseScope) -> StoreActor::PartialCaseKeyPath<CaseScope> {
            switch root {
            case .detail:
              return \\.detail
            case .nothing:
              return \\.nothing
            }
          }
          var detail: StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Detail>> {
            StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Detail>>(
              _$name: "detail",
              embed: CaseScope.detail,
              extract: {
                guard case .detail(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var nothing: StoreActor::AnyCasePath<CaseScope, Swift.Void> {
            StoreActor::AnyCasePath<CaseScope, Swift.Void>(
              _$name: "nothing",
              embed: {
                CaseScope.nothing
              },
              extract: {
                guard case .nothing = $0 else {
                  return nil
                }
                return ()
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<CaseScope>] {
            var list: [StoreActor::PartialCaseKeyPath<CaseScope>] = []
            list.reserveCapacity(2)
            list.append(\\.detail)
            list.append(\\.nothing)
            return list
          }
        }
      }

      @MainActor
      static func scope(
        _ store: StoreActor::Store<Self.State, Self.Action>
      ) -> CaseScope {
        switch store._$caseState {
        case .detail(let v0):
          return .detail(
            store._$scope(
              \\.detail,
              action: \\Self.Action.Cases.detail,
              last: v0
            )
          )
        case .nothing:
          return .nothing
        }
      }
    }

    extension Path: nonisolated StoreActor::CaseReducer, nonisolated StoreActor::Reducer {
    }
    """

  static let written = """
    enum Path {
      case detail(Detail)
      @StoreActor::CasePathable @dynamicMemberLookup
      enum State: CaseReducerState {}
      @StoreActor::CasePathable
      enum Action {}
      @StoreActor::ReducerBuilder<Self.State, Self.Action>
      static var body: some ReducerOf<Self> {
        EmptyReducer()
      }

      @dynamicMemberLookup
      enum CaseScope: nonisolated StoreActor::CasePathable, nonisolated StoreActor::CasePathIterable {
        case detail(StoreActor::StoreOf<Detail>)

        nonisolated struct AllCasePaths: StoreActor::_GeneratedCasePaths {
          init() {
          }
          subscript(root: CaseScope) -> StoreActor::PartialCaseKeyPath<CaseScope> {
            return \\.detail
          }
          var detail: StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Detail>> {
            StoreActor::AnyCasePath<CaseScope, StoreActor::StoreOf<Detail>>(
              _$name: "detail",
              embed: CaseScope.detail,
              extract: {
                guard case .detail(let v0) = $0 else {
                  return nil
                }
                return v0
              }
            )
          }
          var _$list: [StoreActor::PartialCaseKeyPath<CaseScope>] {
            var list: [StoreActor::PartialCaseKeyPath<CaseScope>] = []
            list.reserveCapacity(1)
            list.append(\\.detail)
            return list
          }
        }
      }

      @MainActor
      static func scope(
        _ store: StoreActor::Store<Self.State, Self.Action>
      ) -> CaseScope {
        switch store._$caseState {
        case .detail(let v0):
          return .detail(
            store._$scope(
              \\.detail,
              action: \\Self.Action.Cases.detail,
              last: v0
            )
          )
        }
      }
    }

    extension Path: nonisolated StoreActor::CaseReducer, nonisolated StoreActor::Reducer {
    }
    """
}
