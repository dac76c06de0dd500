import { createHash } from 'node:crypto'
import type { MessageAttributeValue } from '@aws-sdk/client-sqs'
import { CloudError } from '../errors.ts'

/** Message attribute in JSON, with bytes in base64. */
export type WireAttribute = Omit<MessageAttributeValue, 'BinaryValue'> & { BinaryValue?: string }
export type WireAttributes = Record<string, WireAttribute>

/** "Amazon SQS message metadata", developer guide, read 2026-11. */
const maxAttributes = 10
const maxNameLength = 256

const invalid = (message: string) => new CloudError('InvalidParameterValue', message)

/** Validates the attributes of a message. */
export function checkMessageAttributes(attributes: WireAttributes): void {
  const entries = Object.entries(attributes)
  if (entries.length > maxAttributes) {
    throw invalid(`Number of message attributes [${entries.length}] exceeds the allowed maximum [${maxAttributes}].`)
  }
  for (const [name, value] of entries) {
    checkName(name)
    checkValue(name, value)
  }
}

function checkName(name: string): void {
  const isReserved = /^(aws|amazon)\./i.test(name)
  const isWellFormed = /^(?!\.)(?!.*\.\.)[\w.-]+(?<!\.)$/.test(name) && name.length <= maxNameLength
  if (!isWellFormed || isReserved) throw invalid(`Message attribute name '${name}' is invalid.`)
}

function checkValue(name: string, { DataType, StringValue, BinaryValue }: WireAttribute): void {
  const [type] = (DataType ?? '').split('.')
  if (!['String', 'Number', 'Binary'].includes(type ?? '')) {
    throw invalid(
      `The type of message attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
    )
  }
  const value = type === 'Binary' ? BinaryValue : StringValue
  if (!value) {
    throw invalid(`The message attribute '${name}' with type '${type}' must use field '${fieldOf(type)}'.`)
  }
  if (type === 'Number' && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) {
    throw invalid(`Can't cast the value of message attribute '${name}' to a number.`)
  }
}

const fieldOf = (type: string | undefined) => (type === 'Binary' ? 'Binary' : 'String')

/** Returns the size of attributes in bytes: names, types and values count. */
export const attributesSize = (attributes: WireAttributes = {}): number =>
  Object.entries(attributes).reduce(
    (sum, [name, { DataType = '', StringValue = '', BinaryValue = '' }]) =>
      sum + Buffer.byteLength(name + DataType + StringValue) + Buffer.byteLength(BinaryValue, 'base64'),
    0,
  )

/** "Calculating the MD5 message digest for message attributes", developer guide, read 2026-11. */
export function attributesMd5(attributes: WireAttributes): string {
  const hash = createHash('md5')
  const add = (value: string | Buffer) => {
    const bytes = Buffer.from(value)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hash.update(length).update(bytes)
  }
  for (const name of Object.keys(attributes).sort()) {
    const { DataType = '', StringValue = '', BinaryValue = '' } = attributes[name] ?? {}
    const isBinary = DataType.startsWith('Binary')
    add(name)
    add(DataType)
    hash.update(Buffer.from([isBinary ? 2 : 1]))
    add(isBinary ? Buffer.from(BinaryValue, 'base64') : StringValue)
  }
  return hash.digest('hex')
}

/** Returns the attributes that a receiver requested: by name, by a prefix such as `order.*`, or all. */
export function wantedAttributes(attributes: WireAttributes, names: readonly string[]): WireAttributes {
  const isWanted = (name: string) =>
    names.some((wanted) =>
      wanted === 'All' || wanted === '.*'
        ? true
        : wanted.endsWith('.*')
          ? name.startsWith(wanted.slice(0, -1))
          : name === wanted,
    )
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isWanted(name)))
}
