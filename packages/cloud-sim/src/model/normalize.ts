import { type Member, type Model, memberAt, type Shape, shapeOf } from './model.ts'
import { isFields, nameInRequest, type WireFormat } from './values.ts'

/**
 * Normalizes a validated input for its operation: null members are removed, and empty form values become lists or
 * structures.
 */
export function normalizeInput(model: Model, operation: string, input: object, form: WireFormat): object {
  const shape = model.operations[operation]?.input
  if (shape === undefined || form === 'xml') return input // elements are read one by one
  return normalize(model, shape, input, form) as object
}

function normalize(model: Model, at: Member, value: unknown, form: WireFormat): unknown {
  const shape = shapeOf(model, at)
  if (shape.type === 'list') return listOf(model, shape, value, form)
  if (shape.type !== 'structure' && shape.type !== 'map') return value
  const fields = form !== 'json' && value === '' ? {} : value
  if (!isFields(fields)) return value
  const members = membersByName(shape, form)
  const present = Object.entries(fields).filter(([, item]) => item !== null)
  return Object.fromEntries(
    present.map(([name, item]) => {
      const member = shape.type === 'map' && form === 'json' ? shape.value : members.get(name)
      return [name, member === undefined ? item : normalize(model, member, item, form)]
    }),
  )
}

function listOf(model: Model, { member }: Shape, value: unknown, form: WireFormat): unknown {
  const items = form !== 'json' && value === '' ? [] : value
  if (member === undefined || !Array.isArray(items)) return items
  return items.map((item) => normalize(model, member, item, form))
}

const membersByName = ({ members = {} }: Shape, form: WireFormat): Map<string, Member> =>
  new Map(
    Object.entries(members).map(([name, member]) => [
      memberAt(member).location === undefined
        ? nameInRequest(name, member, form)
        : (memberAt(member).locationName ?? name),
      member,
    ]),
  )
