import StoreState

/// The conversion from values of one schema to another.
indirect enum Projection: Sendable {
  /// The encoding is the same.
  case same
  /// A value becomes an optional one, in an array of one if it could be null.
  case wrapped(Projection, isBoxed: Bool)
  /// An optional stays optional; either side may wrap its value.
  case optional(Projection, wasBoxed: Bool, isBoxed: Bool)
  case array(Projection)
  case identified(Projection)
  case set
  case dictionary(Projection)
  /// A record or choice; the number is the index of its plan.
  case planned(Int)
}

/// The conversion from records or choices of one definition to another.
enum ProjectionPlan: Sendable {
  case record(FieldPlan)
  case choice([CasePlan?])
}

/// The conversion of the fields of a record or payload.
struct FieldPlan: Sendable {
  struct Field: Sendable {
    var name: String
    /// The field's index and name in the reader's schema; nil if the reader does not have it.
    var target: (place: Int, name: String)?
    var projection: Projection
  }

  /// The writer's fields.
  var fields: [Field] = []
  /// The reader's fields that the writer lacks.
  var added: [GenericValue.Entry] = []
  /// Whether a value's encoding stays the same.
  var keepsEncoding: Bool {
    added.isEmpty
      && fields.allSatisfy { field in field.target.map { $0.name._$isSame(as: field.name) } ?? false
      }
  }
}

/// The conversion of a case; its index in the list is the writer's.
struct CasePlan: Sendable {
  var name: String
  var place: Int
  var targetName: String
  /// Whether the reader's case has a payload.
  var hasPayload: Bool
  var payload: FieldPlan
}

/// Converts values of one schema to another.
struct Projector: Sendable {
  let root: Projection
  let plans: [ProjectionPlan]

  func project(
    _ value: GenericValue,
    _ projection: Projection,
  ) throws(CodecError) -> GenericValue {
    switch (projection, value) {
    case (.same, _), (.set, _), (.optional, .null): return value
    case (.wrapped(let inner, let isBoxed), _):
      let content = try project(value, inner)
      return isBoxed ? .array([content]) : content
    case (.optional(let inner, let wasBoxed, let isBoxed), _):
      var content = value
      if wasBoxed {
        guard case .array(let items) = value, items.count == 1 else { throw misfit(value) }
        content = items[0]
      }
      content = try project(content, inner)
      return isBoxed ? .array([content]) : content
    case (.array(let inner), .array(let items)), (.identified(let inner), .array(let items)):
      return .array(try project(items, inner))
    case (.dictionary(let inner), .map(var entries)):
      for place in entries.indices {
        entries[place].value = try project(entries[place].value, inner)
      }
      return .map(entries)
    case (.planned(let plan), _): return try project(value, plans[plan])
    default: throw misfit(value)
    }
  }

  private func project(
    _ items: GenericItems,
    _ projection: Projection,
  ) throws(CodecError) -> [GenericValue] {
    var result: [GenericValue] = []
    for (index, item) in items.enumerated() {
      do throws(CodecError) {
        result.append(try project(item, projection))
      } catch {
        throw error.inside(.index(index))
      }
    }
    return result
  }

  private func project(
    _ value: GenericValue,
    _ plan: ProjectionPlan,
  ) throws(CodecError) -> GenericValue {
    switch plan {
    case .record(let fields): return try project(value, fields)
    case .choice(let cases):
      guard let (name, payload) = value.caseAndPayload else { throw misfit(value) }
      guard let known = cases.first(where: { $0?.name._$isSame(as: name) ?? false }), let known
      else {
        throw unknownCase(name)
      }
      guard known.hasPayload else { return .text(known.targetName) }
      do throws(CodecError) {
        let parts = try project(payload ?? .map([]), known.payload)
        return .map([.init(.text(known.targetName), parts)])
      } catch {
        throw error.inside(.name(name))
      }
    }
  }

  func unknownCase(_ name: String) -> CodecError {
    CodecError(.unknownName, "the case \"\(name)\" is unknown to the other build; update it")
  }

  private func project(
    _ value: GenericValue,
    _ plan: FieldPlan,
  ) throws(CodecError) -> GenericValue {
    var entries = plan.added
    for field in plan.fields {
      guard let target = field.target else { continue }
      guard let part = value[field: field.name] else { throw misfit(value) }
      do throws(CodecError) {
        entries.append(.init(.text(target.name), try project(part, field.projection)))
      } catch {
        throw error.inside(.name(field.name))
      }
    }
    guard let map = GenericValue.map(sorting: entries) else { throw misfit(value) }
    return map
  }

  private func misfit(_ value: GenericValue) -> CodecError {
    CodecError(.typeMismatch, "found \(value.foundText), which is not of the writer's schema")
  }
}
