import { common, isList, isNumber, isScalar, type Type } from './types.ts'

/**
 * Returns the result type of a function for its argument types, with a target first; undefined if it does not accept
 * them.
 */
type Call = (...args: Type[]) => Type | undefined

const takes =
  (result: Type, ...wanted: Type[]): Call =>
  (...given) =>
    given.length === wanted.length && wanted.every((type, index) => type === given[index]) ? result : undefined

const either =
  (...calls: Call[]): Call =>
  (...given) => {
    for (const call of calls) {
      const result = call(...given)
      if (result !== undefined) return result
    }
    return undefined
  }

const isListOfScalars = (type: Type | undefined): type is { list: Type } =>
  type !== undefined && isList(type) && typeof type.list === 'string'

const areComparable = (one: Type | undefined, other: Type | undefined): boolean =>
  one !== undefined && other !== undefined && isScalar(one) && (one === other || (isNumber(one) && isNumber(other)))

const equality: Call = (one, other) =>
  areComparable(one, other) || (isListOfScalars(one) && isListOfScalars(other) && common(one, other))
    ? 'bool'
    : undefined
const order: Call = (one, other) => (one !== 'bool' && areComparable(one, other) ? 'bool' : undefined)
const arithmetic = either(takes('int', 'int', 'int'), takes('double', 'double', 'double'))

const concatenation: Call = (one, other) =>
  one !== undefined && other !== undefined && isList(one) && isList(other) ? common(one, other) : undefined

const membership: Call = (one, other) =>
  one !== undefined && other !== undefined && isList(other) && isScalar(one) && common(one, other.list) !== undefined
    ? 'bool'
    : undefined

const element: Call = (list, index) =>
  list !== undefined && isList(list) && index === 'int' && list.list !== 'nothing' ? list.list : undefined

const size: Call = (...args) => {
  const [one] = args
  return args.length === 1 && one !== undefined && (one === 'string' || isList(one)) ? 'int' : undefined
}

const textTest = takes('bool', 'string', 'string')
const partOfTime = either(takes('int', 'timestamp'), takes('int', 'timestamp', 'string'))
/** Accepts a time, or a duration, which is converted to this unit. */
const partOfTimeOrDuration = either(partOfTime, takes('int', 'duration'))

/** Operators by their names in the syntax tree. */
const operators: Readonly<Record<string, Call>> = {
  '!_': takes('bool', 'bool'),
  '@not_strictly_false': takes('bool', 'bool'),
  '-_': either(takes('int', 'int'), takes('double', 'double')),
  '_&&_': takes('bool', 'bool', 'bool'),
  '_||_': takes('bool', 'bool', 'bool'),
  '_?_:_': (condition, one, other) => {
    if (condition !== 'bool' || one === undefined || other === undefined) return undefined
    return common(one, other)
  },
  '_==_': equality,
  '_!=_': equality,
  '_<_': order,
  '_<=_': order,
  '_>_': order,
  '_>=_': order,
  '_+_': either(
    arithmetic,
    takes('string', 'string', 'string'),
    takes('timestamp', 'timestamp', 'duration'),
    takes('timestamp', 'duration', 'timestamp'),
    takes('duration', 'duration', 'duration'),
    concatenation,
  ),
  '_-_': either(
    arithmetic,
    takes('timestamp', 'timestamp', 'duration'),
    takes('duration', 'timestamp', 'timestamp'),
    takes('duration', 'duration', 'duration'),
  ),
  '_*_': arithmetic,
  '_/_': arithmetic,
  '_%_': takes('int', 'int', 'int'),
  '@in': membership,
  '_[_]': element,
}

/** Conversion to a type from each of these types. */
const converts = (to: Type, ...from: Type[]): Call => either(...from.map((type) => takes(to, type)))

const functions: Readonly<Record<string, Call>> = {
  size,
  int: converts('int', 'string', 'double', 'int', 'timestamp', 'duration'),
  double: converts('double', 'string', 'int', 'double'),
  string: converts('string', 'int', 'double', 'bool', 'string', 'timestamp', 'duration'),
  duration: converts('duration', 'string', 'duration'),
  timestamp: converts('timestamp', 'string', 'timestamp'),
}

const methods: Readonly<Record<string, Call>> = {
  size,
  contains: textTest,
  startsWith: textTest,
  endsWith: textTest,
  matches: textTest,
  getFullYear: partOfTime,
  getMonth: partOfTime,
  getDate: partOfTime,
  getDayOfMonth: partOfTime,
  getDayOfWeek: partOfTime,
  getDayOfYear: partOfTime,
  getHours: partOfTimeOrDuration,
  getMinutes: partOfTimeOrDuration,
  getSeconds: partOfTimeOrDuration,
  getMilliseconds: partOfTimeOrDuration,
}

/** Names of all functions, for error messages. */
export const functionNames = Object.keys(functions).join(', ')
export const methodNames = Object.keys(methods).join(', ')

/** Returns the name of a function or operator as written: `==` for `_==_`. */
export const spellingOf = (name: string): string =>
  Object.hasOwn(operators, name) ? name.replaceAll(/[_@]/g, '') : name

/** Returns the function of a call; undefined if it is unknown. */
export function callOf(name: string, isMethod: boolean): Call | undefined {
  const table = isMethod ? methods : { ...operators, ...functions }
  return Object.hasOwn(table, name) ? table[name] : undefined
}
