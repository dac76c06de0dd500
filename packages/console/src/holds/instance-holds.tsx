import type { ModuleInstance } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { HoldRows } from './hold-rows.tsx'

type Props = { instance: Pick<ModuleInstance, 'id' | 'environmentId'> }

/** Shows holds that block newer releases to an instance: its own and those of its environment. */
export const InstanceHolds = ({ instance: { id, environmentId } }: Props) => {
  const held = useOperation('listHolds', { query: { environmentId, limit: 100 } })
  return <HoldRows holds={(held.data?.data ?? []).filter(({ moduleInstanceId = id }) => moduleInstanceId === id)} />
}
