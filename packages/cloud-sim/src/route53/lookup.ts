import type { World } from '../world.ts'
import { isWithin, writtenName } from './names.ts'
import { textsOf } from './record-sets.ts'
import { route53 } from './state.ts'

/** Reports whether DNS has a record: in the public zones nearest to its name. */
export function hasRecord(world: World, wanted: { name: string; type: string; value: string }): boolean {
  const name = writtenName(wanted.name)
  const zones = [...route53(world).zones.all()].filter((zone) => !zone.isPrivate && isWithin(name, zone.name))
  const nearest = Math.max(...zones.map((zone) => zone.name.length))
  return zones
    .filter((zone) => zone.name.length === nearest)
    .flatMap((zone) => route53(world).records.having('zone', zone.key))
    .filter((record) => record.name === name && record.type === wanted.type && record.inSyncAt <= world.clock.now())
    .some((record) => textsOf(record.config).some((value) => writtenName(value) === writtenName(wanted.value)))
}
