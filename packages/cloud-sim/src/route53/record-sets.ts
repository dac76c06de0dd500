import { child, children, childText, type XmlElement } from '../wire/xml.ts'
import type { World } from '../world.ts'
import { reversed } from './names.ts'
import { type RecordSet, route53 } from './state.ts'

export const keyOf = (zone: string, name: string, type: string, setIdentifier = '') =>
  `${zone} ${name} ${type} ${setIdentifier}`

/** Returns the values of a record set. */
export const textsOf = (config: XmlElement): string[] =>
  children(child(config, 'ResourceRecords'), 'ResourceRecord').map((record) => childText(record, 'Value') ?? '')

/** Returns a zone's records sorted by reversed labels, then by type. */
export const sortedRecords = (world: World, zone: string): RecordSet[] =>
  route53(world).records.having('zone', zone).sort(inOrder)

const placeOf = ({ name, type, key }: RecordSet) => `${reversed(name)}\0${type}\0${key}`
const inOrder = (a: RecordSet, b: RecordSet) => (placeOf(a) < placeOf(b) ? -1 : 1)
