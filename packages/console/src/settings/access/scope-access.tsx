import { Group, Select, Stack, Switch, Table, Text } from '@mantine/core'
import { type Environment, type GrantedRole, grantedRoles, type Project, type RoleGrant } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { PermissionScopeContext, type Scope } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { sortEnvironments } from '../../environments/sort-environments.ts'
import { useEnvironmentOrders } from '../../environments/use-environment-orders.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { ConfirmButton } from '../../ui/buttons/confirm-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { FormModal, textFieldValue } from '../../ui/forms/form-modal.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { roleName } from './roles.ts'
import type { Principals } from './use-principals.ts'

const does: Record<GrantedRole, string> = {
  VIEWER: 'Viewer: read only',
  APPROVER: 'Approver: approves and rejects',
  DEPLOYER: 'Deployer: deploys and runs pipelines',
  DEVELOPER: 'Developer: both, and changes instances, pipelines, and stacks',
  ADMIN: 'Admin: also manages the project or environment itself',
}

/** Manages roles on a project and its environments. */
export const ScopeAccess = ({ project, principals }: { project: Project; principals: Principals }) => {
  const unordered = useCompleteList('listEnvironments', { projectId: project.id }).data ?? []
  const environments = sortEnvironments(unordered, [project], useEnvironmentOrders([project.id]))
  const grants = useCompleteList('listRoleGrants', { projectId: project.id }).data ?? []
  const of = (environmentId?: string) => grants.filter((grant) => grant.environmentId === environmentId)
  return (
    <Section title={project.name}>
      <Stack gap="lg">
        <PermissionScopeContext value={{ projectId: project.id }}>
          <ScopeSection scope={{ projectId: project.id }} record={project} grants={of()} principals={principals} />
        </PermissionScopeContext>
        {environments.map((environment) => {
          const scope = { projectId: project.id, environmentId: environment.id }
          return (
            <PermissionScopeContext key={environment.id} value={scope}>
              <ScopeSection scope={scope} record={environment} grants={of(environment.id)} principals={principals} />
            </PermissionScopeContext>
          )
        })}
      </Stack>
    </Section>
  )
}

type Props = { scope: Scope; record: Project | Environment; grants: RoleGrant[]; principals: Principals }

const ScopeSection = ({ scope, record, grants, principals }: Props) => {
  const what = scope.environmentId === undefined ? 'Entire project' : record.name
  const change = useScopeChange(scope)
  const give = useApiMutation(
    (form: FormData) => {
      const given = {
        principalId: textFieldValue(form, 'principalId'),
        role: textFieldValue(form, 'role') as GrantedRole,
      }
      return client.createRoleGrant({ body: { data: { ...scope, ...given } } })
    },
    ['listRoleGrants', 'getPermissions'],
  )
  const mayRestrict = usePermission(scope.environmentId === undefined ? 'projects:write' : 'environments:write')
  const { members, teams } = principals
  const choices = [...teams, ...members].map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{what}</Text>
        <Group gap="md">
          <Switch
            label="Restricted"
            aria-label={`Restricted: ${record.givenId}`}
            description="Only roles granted here apply"
            checked={record.restricted}
            disabled={!mayRestrict.isAllowed || change.isPending}
            title={mayRestrict.reason}
            onChange={({ currentTarget }) => change.mutate({ restricted: currentTarget.checked })}
          />
          <Switch
            label="Members only"
            aria-label={`Members only: ${record.givenId}`}
            description="Hidden from everyone else"
            checked={record.visibility === 'MEMBERS'}
            disabled={!mayRestrict.isAllowed || change.isPending}
            title={mayRestrict.reason}
            onChange={({ currentTarget }) =>
              change.mutate({ visibility: currentTarget.checked ? 'MEMBERS' : 'ORGANIZATION' })
            }
          />
          <FormModal
            permission="role-grants:write"
            label="Grant role"
            ariaLabel={`Grant role on ${record.givenId}`}
            title={`Grant role on ${record.name}`}
            submit="Grant"
            change={give}
            button={{ size: 'xs' }}
          >
            <Select name="principalId" label="Member or team" data={choices} searchable required />
            <Select
              name="role"
              label="Role"
              data={grantedRoles.map((role) => ({ value: role, label: does[role] }))}
              defaultValue="DEPLOYER"
              allowDeselect={false}
              required
            />
          </FormModal>
        </Group>
      </Group>
      {change.error && <ErrorPanel error={errorOf(change.error)} />}
      <ManagedRow projectId={scope.projectId} recordId={record.id} />
      {grants.length > 0 && (
        <DataTable label={`Roles on ${record.givenId}`} head={['Member or team', 'Role', '']}>
          {grants.map((grant) => (
            <GrantRow key={grant.id} grant={grant} name={principals.nameOf(grant.principalId)} />
          ))}
        </DataTable>
      )}
    </Stack>
  )
}

type ScopeChange = Partial<Pick<Project, 'restricted' | 'visibility'>>

const useScopeChange = ({ projectId, environmentId }: Scope) =>
  useApiMutation<ScopeChange, unknown>(
    (data) => {
      const body = { data }
      return environmentId === undefined
        ? client.updateProject({ params: { id: projectId }, body })
        : client.updateEnvironment({ params: { id: environmentId }, body })
    },
    ['listProjects', 'listEnvironments', 'getPermissions'],
  )

const GrantRow = ({ grant, name }: { grant: RoleGrant; name: string }) => {
  const remove = useApiMutation(
    () => client.deleteRoleGrant({ params: { id: grant.id } }),
    ['listRoleGrants', 'getPermissions'],
  )
  return (
    <Table.Tr>
      <Table.Td>
        {name}
        <ManagedRow projectId={grant.projectId} recordId={grant.id} />
      </Table.Td>
      <Table.Td>{does[grant.role]}</Table.Td>
      <Table.Td ta="end">
        <ConfirmButton
          permission="role-grants:write"
          variant="subtle"
          color="red"
          size="xs"
          label="Revoke"
          ariaLabel={`Revoke ${roleName(grant.role)} from ${name}`}
          question={`Revoke the role of ${name}?`}
          loading={remove.isPending}
          onConfirm={() => remove.mutate(undefined)}
        >
          The change applies immediately. Runs in progress continue only as far as the remaining permissions of {name}{' '}
          allow.
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
