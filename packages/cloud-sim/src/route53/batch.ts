import { child, childText, type Xml, type XmlElement } from '../wire/xml.ts'
import { isWithin, writtenName } from './names.ts'
import { keyOf, textsOf } from './record-sets.ts'
import { validateRecordValue } from './record-values.ts'
import type { HostedZone, RecordSet } from './state.ts'

export interface Batch {
  zone: HostedZone
  changes: Xml[]
  there: RecordSet[]
}

type Records = Map<string, XmlElement>

/** Applies a batch of changes in order and returns the zone's records and all errors. Pure. */
export function applyChangeBatch({ zone, changes, there }: Batch): { records: Records; broken: string[] } {
  const records: Records = new Map(there.map(({ key, config }) => [key, config]))
  const broken = [...doubled(zone, changes), ...changes.flatMap((change) => apply(zone, records, change))]
  const has = (type: string) => records.has(keyOf(zone.key, zone.name, type))
  if (!has('SOA')) broken.push('A HostedZone must contain exactly one SOA record.')
  if (!has('NS')) broken.push('A HostedZone must contain at least one NS record for the zone itself.')
  return { records, broken }
}

/** Returns errors for record sets that a batch changes more than once, except a deletion followed by a creation. */
function doubled(zone: HostedZone, changes: Xml[]): string[] {
  const actions = new Map<string, { what: string; actions: string[] }>()
  for (const change of changes) {
    const given = child(change, 'ResourceRecordSet')
    const [name, type] = [writtenName(childText(given, 'Name') ?? ''), childText(given, 'Type') ?? '']
    const key = keyOf(zone.key, name, type, childText(given, 'SetIdentifier'))
    const known = actions.get(key) ?? { what: `${type} ${name}`, actions: [] }
    known.actions.push(childText(change, 'Action') ?? '')
    actions.set(key, known)
  }
  return [...actions.values()]
    .filter(({ actions: [first, ...more] }) => more.length > 1 || (more.length === 1 && first !== 'DELETE'))
    .map(({ what }) => `The request contains an invalid set of changes for a resource record set '${what}'`)
}

/** Applies one change, or returns Route 53's error messages. */
function apply(zone: HostedZone, records: Records, change: Xml): string[] {
  const given = child(change, 'ResourceRecordSet')
  if (given === undefined || typeof given === 'string') return ['A change has a resource record set.']
  const action = childText(change, 'Action') ?? ''
  const type = childText(given, 'Type') ?? ''
  const name = writtenName(childText(given, 'Name') ?? '')
  const config: XmlElement = { ...given, Name: name }
  const key = keyOf(zone.key, name, type, childText(given, 'SetIdentifier'))
  const there = records.get(key)
  const what = `resource record set [name='${name}', type='${type}']`
  if (action === 'CREATE' && there) return [`Tried to create ${what} but it already exists`]
  if (action === 'DELETE') {
    if (!there) return [`Tried to delete ${what} but it was not found`]
    if (!isSame(there, config))
      return [`Tried to delete ${what} but the values provided do not match the current values`]
    records.delete(key)
    return []
  }
  const broken = ruleBroken({ zone, records, name, type, config })
  if (broken !== undefined) return [broken]
  records.set(key, config)
  return []
}

interface Wanted {
  zone: HostedZone
  records: Records
  name: string
  type: string
  config: XmlElement
}

function ruleBroken({ zone, records, name, type, config }: Wanted): string | undefined {
  const isAlias = child(config, 'AliasTarget') !== undefined
  const values = textsOf(config)
  if (!isAlias && (values.length === 0 || childText(config, 'TTL') === undefined)) {
    return `Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId], but found none in Change with [Name=${name}, Type=${type}]`
  }
  const unreadable = values.flatMap((value) => validateRecordValue(type, value) ?? [])[0]
  if (unreadable !== undefined) return unreadable
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined) return `Duplicate Resource Record: '${twice}'`
  if (!isWithin(name, zone.name)) return `RRSet with DNS name ${name} is not permitted in zone ${zone.name}`
  if (type === 'CNAME' && name === zone.name) {
    return `RRSet of type CNAME with DNS name ${name} is not permitted at apex in zone ${zone.name}`
  }
  if (type === 'CNAME' && !isAlias && values.length !== 1) {
    return `RRSet of type CNAME with DNS name ${name} must have exactly one value`
  }
  const others = [...records.values()].filter(
    (one) => childText(one, 'Name') === name && childText(one, 'Type') !== type,
  )
  if (others.some((one) => type === 'CNAME' || childText(one, 'Type') === 'CNAME')) {
    return `RRSet of type ${type} with DNS name ${name} is not permitted as it conflicts with other records with the same DNS name in zone ${zone.name}`
  }
  return undefined
}

const isSame = (one: XmlElement, other: XmlElement) =>
  childText(one, 'TTL') === childText(other, 'TTL') &&
  JSON.stringify(textsOf(one).sort()) === JSON.stringify(textsOf(other).sort()) &&
  JSON.stringify(child(one, 'AliasTarget')) === JSON.stringify(child(other, 'AliasTarget'))
