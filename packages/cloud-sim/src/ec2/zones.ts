import { regionAndAccountOf } from '../arns.ts'
import type { Caller } from '../callers.ts'
import type { World } from '../world.ts'
import { type DescribableResource, type DescribeInput, selectRequestedRows } from './describing.ts'

interface Zone {
  region: string
  name: string
}

/** Returns the zone id, such as `euw1-az1` for `eu-west-1a`. In AWS, the mapping differs by account. */
export function zoneId(name: string): string {
  const [, area = '', way = '', number = '', letter = 'a'] = /^([a-z]+)-([a-z-]+)-(\d+)([a-z])$/.exec(name) ?? []
  const initials = way.split(/-|(?=east|west)/).map((word) => word.charAt(0))
  return `${area}${initials.join('')}${number}-az${letter.charCodeAt(0) - 'a'.charCodeAt(0) + 1}`
}

const kind: DescribableResource<Zone> = {
  noun: 'zone name',
  notFound: 'InvalidParameterValue',
  idOf: ({ name }) => name,
  filters: {
    'region-name': ({ region }) => [region],
    state: () => ['available'],
    'zone-id': ({ name }) => [zoneId(name)],
    'zone-name': ({ name }) => [name],
    'zone-type': () => ['availability-zone'],
  },
}

export function describeAvailabilityZones(
  _world: World,
  { scope }: Caller,
  { ZoneName, ...input }: DescribeInput & { ZoneName?: string[] },
) {
  const { region } = regionAndAccountOf(scope)
  const zones = ['a', 'b', 'c'].map((letter) => ({ region, name: region + letter }))
  return { availabilityZoneInfo: selectRequestedRows(zones, kind, ZoneName, input).items.map(shown) }
}

const shown = ({ region, name }: Zone) => ({
  zoneName: name,
  zoneId: zoneId(name),
  zoneState: 'available',
  zoneType: 'availability-zone',
  regionName: region,
  groupName: region,
  networkBorderGroup: region,
  optInStatus: 'opt-in-not-required',
  messageSet: [],
})
