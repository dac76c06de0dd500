import { Badge, Group, Stack, Text } from '@mantine/core'
import type { PromotionRule } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { sortEnvironments } from '../../environments/sort-environments.ts'
import { useEnvironmentOrders } from '../../environments/use-environment-orders.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'
import { allLevels, type Level } from '../projects/levels.ts'
import { affectedOperations, EditPromotionRule, NewPromotionRule } from './promotion-rule-form.tsx'

/** Manages promotion rules. */
export const PromotionRules = () => {
  const { data: principal } = useOperation('whoami', {}, { staleTime: 60_000 })
  const projects = useCompleteList('listProjects', {}).data ?? []
  const environments = useCompleteList('listEnvironments', {}).data ?? []
  const rules = useCompleteList('listPromotionRules', {})
  const { isAllowed, reason } = usePermission('promotion-rules:write')
  const orders = useEnvironmentOrders(projects.map(({ id }) => id))
  const organization = { id: principal?.data.organizationId ?? '', name: principal?.data.organizationName ?? '' }
  const levels = allLevels(organization, projects, sortEnvironments(environments, projects, orders))
  const places = levels.filter(({ parentType }) => parentType === 'environment')
  return (
    <Section title="Promotion rules" aside={<NewPromotionRule places={places} />}>
      <Stack>
        {!isAllowed && reason !== '' && <Text size="sm">You can’t manage promotion rules here. {reason}</Text>}
        <QueryResult of={rules}>
          {(all) => (
            <Rows
              of={all}
              empty={
                <Notice title="No promotion rules here">
                  Releases can be promoted manually at any time. A promotion rule sets a soak time, and can promote
                  automatically.
                </Notice>
              }
            >
              {(rule) => <PromotionRuleRow rule={rule} places={places} />}
            </Rows>
          )}
        </QueryResult>
      </Stack>
    </Section>
  )
}

const PromotionRuleRow = ({ rule, places }: { rule: PromotionRule; places: readonly Level[] }) => {
  const { id, reason, mode, start, soakMinutes, updatedBy, projectId, environmentId, fromEnvironmentId } = rule
  const remove = useApiMutation(() => client.deletePromotionRule({ params: { id } }), affectedOperations)
  const nameOf = (one: string) => places.find(({ parentId }) => parentId === one)?.name ?? one
  const name = `${nameOf(fromEnvironmentId)} → ${nameOf(environmentId)}`
  return (
    <PermissionScopeContext value={{ projectId, environmentId }}>
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
            <EditPromotionRule of={rule} name={name} />
            <ConfirmButton
              permission="promotion-rules:write"
              variant="subtle"
              color="red"
              size="xs"
              label="Delete"
              ariaLabel={`Delete ${name}`}
              question={`Delete ${name}?`}
              loading={remove.isPending}
              onConfirm={() => remove.mutate(undefined)}
            >
              Releases are no longer blocked or promoted by this rule.
            </ConfirmButton>
          </Group>
        </Group>
        {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
        <ManagedRow projectId={projectId} recordId={id} />
        {reason !== undefined && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {reason}
          </Text>
        )}
        <Facts
          facts={{
            'Soak time': `${soakMinutes} ${soakMinutes === 1 ? 'minute' : 'minutes'}`,
            Promotion: start === 'AUTOMATIC' ? 'Automatic' : 'Manual',
            'Created by': updatedBy,
          }}
        />
      </Stack>
    </PermissionScopeContext>
  )
}
