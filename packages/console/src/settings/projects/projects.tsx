import { Group, Stack, Text } from '@mantine/core'
import type { Environment, Project } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { PermissionScopeContext } from '../../api/scope.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { DefaultNetworkButton } from '../../environments/default-network.tsx'
import { NewEnvironment } from '../../environments/new-environment.tsx'
import { sortEnvironments } from '../../environments/sort-environments.ts'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { NewProject } from '../../projects/new-project.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { DetailsForm, detailsFromForm } from '../../ui/forms/details-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'

/** Manages projects and their environments. */
export const Projects = () => {
  const projects = useCompleteList('listProjects', {})
  return (
    <Section title="Projects" aside={<NewProject />}>
      <QueryResult of={projects}>
        {(all) => (
          <Rows
            of={all}
            empty={
              <Notice title="No projects yet">A project contains environments, which contain your services.</Notice>
            }
          >
            {(project) => <Row project={project} />}
          </Rows>
        )}
      </QueryResult>
    </Section>
  )
}

const Row = ({ project }: { project: Project }) => {
  const { id, name, givenId, description } = project
  const environments = useCompleteList('listEnvironments', { projectId: id })
  const { data: order } = useOperation('getEnvironmentOrder', { params: { id } })
  const update = useApiMutation(
    (form: FormData) => client.updateProject({ params: { id }, body: { data: detailsFromForm(form) } }),
    ['listProjects', 'getProject'],
  )
  const remove = useApiMutation(() => client.deleteProject({ params: { id } }), ['listProjects'])
  return (
    <PermissionScopeContext value={{ projectId: id }}>
      <Stack gap="xs" py="sm">
        <Group justify="space-between">
          <div>
            <Text fw={600}>{name}</Text>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {[givenId, description].filter(Boolean).join(' · ')}
            </Text>
          </div>
          <Group gap="xs">
            <NewEnvironment projectId={id} ariaLabel={`Create environment in ${name}`} />
            <DetailsForm permission="projects:write" of={project} change={update} />
            <RemoveButton permission="projects:write" label="Delete" name={name} change={remove}>
              This also deletes its default values. Delete its environments, pipelines, and stacks first.
            </RemoveButton>
          </Group>
        </Group>
        {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
        <ManagedRow projectId={id} recordId={id} />
        <Stack gap={0} ps="md">
          {sortEnvironments(environments.data ?? [], [], order ? [order.data.order] : []).map((environment) => (
            <EnvironmentRow key={environment.id} environment={environment} />
          ))}
        </Stack>
      </Stack>
    </PermissionScopeContext>
  )
}

const EnvironmentRow = ({ environment }: { environment: Environment }) => {
  const { id, projectId, name, givenId, description } = environment
  const shows = ['listEnvironments', 'getEnvironment', 'getEnvironmentOrder'] as const
  const update = useApiMutation(
    (form: FormData) => client.updateEnvironment({ params: { id }, body: { data: detailsFromForm(form) } }),
    shows,
  )
  const remove = useApiMutation(() => client.deleteEnvironment({ params: { id } }), shows)
  return (
    <PermissionScopeContext value={{ projectId, environmentId: id }}>
      <Group justify="space-between" py={4}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}{' '}
          <Text span c="dimmed">
            {[givenId, description].filter(Boolean).join(' · ')}
          </Text>
        </Text>
        <Group gap="xs">
          <DefaultNetworkButton of={environment} />
          <DetailsForm permission="environments:write" of={environment} change={update} />
          <RemoveButton permission="environments:write" label="Delete" name={name} change={remove}>
            Its default values and history are deleted, too. Delete everything in it first.
          </RemoveButton>
        </Group>
      </Group>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
      <ManagedRow projectId={projectId} recordId={id} />
    </PermissionScopeContext>
  )
}
