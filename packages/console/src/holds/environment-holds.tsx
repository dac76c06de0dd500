import { Group } from '@mantine/core'
import type { Environment } from '@sluice/contract'
import { PermissionScopeContext } from '../api/scope.ts'
import { useOperation } from '../api/use-operation.ts'
import { HoldButton } from './hold-form.tsx'
import { HoldRows } from './hold-rows.tsx'
import { HoldRuleButton } from './hold-rule.tsx'

type Props = { environment: Environment }

/** Shows holds on a whole environment. Cards show those on single instances. */
export const EnvironmentHolds = ({ environment: { id, projectId } }: Props) => {
  const held = useOperation('listHolds', { query: { environmentId: id, limit: 100 } })
  return (
    <PermissionScopeContext value={{ projectId, environmentId: id }}>
      <HoldRows holds={(held.data?.data ?? []).filter(({ moduleInstanceId }) => moduleInstanceId === undefined)} />
    </PermissionScopeContext>
  )
}

/** Buttons to hold an environment and to edit its hold rule. */
export const EnvironmentHoldButtons = ({ environment: { id, projectId, name } }: Props) => (
  <PermissionScopeContext value={{ projectId, environmentId: id }}>
    <Group gap="xs">
      <HoldButton scope={{ environmentId: id }} name={name} />
      <HoldRuleButton environmentId={id} name={name} />
    </Group>
  </PermissionScopeContext>
)
