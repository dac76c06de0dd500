import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ApprovalRule, Team } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { permissionScopeOf } from '../../freezes/permission-scope.ts'
import { ScopeLink } from '../../freezes/scope-link.tsx'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { EditApprovalRule, guardLabels } from './approval-rule-form.tsx'

type Props = { rule: ApprovalRule; teams: readonly Team[] }

/** Shows an approval rule with its actions. */
export const ApprovalRuleRow = ({ rule, teams }: Props) => {
  const { id, name, reason, mode, createdBy, requiredApprovals, expiresAfterMinutes, rollbacks } = rule
  const remove = useApiMutation(
    () => client.deleteApprovalRule({ params: { id } }),
    ['listApprovalRules', 'getDeployment', 'listDeployments'],
  )
  return (
    <PermissionScopeContext value={permissionScopeOf(rule)}>
      <Stack gap="xs" py="sm" role="group" aria-label={name}>
        <Group justify="space-between" align="flex-start">
          <Group gap="xs">
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
            {mode === 'WARN' && (
              <Badge variant="light" color="gray" tt="none">
                Warn only
              </Badge>
            )}
          </Group>
          <Group gap="xs">
            <EditApprovalRule of={rule} teams={teams} />
            <ConfirmButton
              permission="approval-rules:write"
              variant="subtle"
              color="red"
              size="xs"
              label="Delete"
              ariaLabel={`Delete ${name}`}
              question={`Delete ${name}?`}
              loading={remove.isPending}
              onConfirm={() => remove.mutate(undefined)}
            >
              Anything that waits only for this rule starts immediately. The audit log keeps the rule and its approvals.
            </ConfirmButton>
          </Group>
        </Group>
        {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
        {reason !== undefined && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {reason}
          </Text>
        )}
        <Facts
          facts={{
            Scope: <ScopeLink rule={rule} />,
            'Applies to': guardLabels
              .filter(({ value }) => rule.guards.includes(value))
              .map(({ label }) => label)
              .join(', '),
            'Required approvals': `${requiredApprovals} from ${whoOf(rule, teams)}`,
            Timeout: expiresAfterMinutes === undefined ? 'No limit' : `${expiresAfterMinutes} minutes`,
            Rollbacks: rollbacks ? 'wait, too' : 'Start immediately',
            'Created by': createdBy,
          }}
        />
        <ManagedRow projectId={rule.projectId} recordId={id} />
      </Stack>
    </PermissionScopeContext>
  )
}

function whoOf(
  { teamIds, excludeStarter, excludeAuthor, serviceAccounts }: ApprovalRule,
  teams: readonly Team[],
): string {
  const names = teamIds.map((id) => teams.find((team) => team.id === id)?.name ?? 'a deleted team')
  const who = names.length === 0 ? 'anyone with approval permission' : names.join(' or ')
  return [
    who,
    excludeStarter && 'not the person who started it',
    excludeAuthor && 'not the commit author',
    serviceAccounts && 'service accounts count',
  ]
    .filter(Boolean)
    .join(', ')
}
