import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Policy } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { permissionScopeOf } from '../../freezes/permission-scope.ts'
import { ScopeLink } from '../../freezes/scope-link.tsx'
import { OverridePolicyButton } from '../../policies/override-policy-button.tsx'
import { effectLabels, guardLabels } from '../../policies/policy-labels.ts'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { PermissionButton } from '../../ui/buttons/permission-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { OverrideTable } from './override-table.tsx'
import { EditPolicy } from './policy-form.tsx'

type Props = { policy: Policy; now: number }

/** Shows a policy with its actions. */
export const PolicyRow = ({ policy, now }: Props) => {
  const { name, description, expression, message, guards, version, rollbacks, effect, isEnabled, createdBy } = policy
  const [isOpen, { toggle }] = useDisclosure(false)
  return (
    <PermissionScopeContext value={permissionScopeOf(policy)}>
      <Stack gap="xs" py="sm" role="group" aria-label={name}>
        <Head policy={policy} />
        <ManagedRow projectId={policy.projectId} recordId={policy.id} />
        {description && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {description}
          </Text>
        )}
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {expression}
        </Code>
        <Facts
          facts={{
            Scope: <ScopeLink rule={policy} />,
            'Applies to': guardLabels[guards],
            Message: message,
            Rollbacks: guards === 'DEPLOYMENTS' ? (rollbacks ? 'Checked' : 'Always allowed') : undefined,
            Version: version,
            'Created by': createdBy,
          }}
        />
        <Group gap="xs">
          {isEnabled && effect !== 'WARN' && <OverridePolicyButton policy={policy} />}
          <Button variant="subtle" size="xs" aria-expanded={isOpen} onClick={toggle}>
            Overrides
          </Button>
        </Group>
        {isOpen && <PolicyOverrides policy={policy} now={now} />}
      </Stack>
    </PermissionScopeContext>
  )
}

/** Shows the name and effect of a policy with its buttons. */
const Head = ({ policy }: Pick<Props, 'policy'>) => {
  const { id, name, effect, isEnabled } = policy
  const remove = useApiMutation(() => client.deletePolicy({ params: { id } }), ['listPolicies'])
  const turn = useApiMutation(
    () => client.updatePolicy({ params: { id }, body: { data: { isEnabled: !isEnabled } } }),
    ['listPolicies'],
  )
  const mutationError = remove.error ?? turn.error
  const next = isEnabled ? 'Disable' : 'Enable'
  return (
    <>
      <Group justify="space-between" align="flex-start">
        <Group gap="xs">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {!isEnabled && (
            <Badge variant="light" color="gray" tt="none">
              Disabled
            </Badge>
          )}
          <Badge variant="light" color={effect === 'WARN' ? 'gray' : 'orange'} tt="none">
            {effectLabels[effect]}
          </Badge>
        </Group>
        <Group gap="xs">
          <EditPolicy of={policy} />
          <PermissionButton
            permission="policies:write"
            variant="default"
            size="xs"
            aria-label={`${next} ${name}`}
            loading={turn.isPending}
            onClick={() => turn.mutate(undefined)}
          >
            {next}
          </PermissionButton>
          <ConfirmButton
            permission="policies:write"
            variant="subtle"
            color="red"
            size="xs"
            label="Delete"
            ariaLabel={`Delete ${name}`}
            question={`Delete ${name}?`}
            loading={remove.isPending}
            onConfirm={() => remove.mutate(undefined)}
          >
            The policy no longer applies. Its versions and overrides are deleted. The audit log keeps both.
          </ConfirmButton>
        </Group>
      </Group>
      {mutationError && <ErrorPanel error={errorOf(mutationError)} />}
    </>
  )
}

const PolicyOverrides = ({ policy: { id, name }, now }: Props) => {
  const overrides = useOperation('listPolicyOverrides', { params: { id }, query: { limit: 100 } })
  return (
    <QueryResult of={overrides} lines={2}>
      {({ data }) => <OverrideTable name={name} overrides={data} now={now} />}
    </QueryResult>
  )
}
