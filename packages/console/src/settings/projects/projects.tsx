import { Group, Stack, Text } from '@mantine/core'
import type { Environment, Project } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { Here } from '../../api/place.ts'
import { useChange } from '../../api/use-change.ts'
import { useOperation } from '../../api/use-operation.ts'
import { useWhole } from '../../api/use-pages.ts'
import { DefaultNetworkButton } from '../../environments/default-network.tsx'
import { inOrder } from '../../environments/in-order.ts'
import { NewEnvironment } from '../../environments/new-environment.tsx'
import { ManagedRow } from '../../files/managed-by-files.tsx'
import { NewProject } from '../../projects/new-project.tsx'
import { Answer } from '../../ui/answer.tsx'
import { RemoveButton } from '../../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { DetailsForm, detailsIn } from '../../ui/forms/details-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { Rows } from '../../ui/tables/rows.tsx'

/** Manages projects and their environments. */
export const Projects = () => {
  const projects = useWhole('listProjects', {})
  return (
    <Section title="Projects" aside={<NewProject />}>
      <Answer of={projects}>
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
      </Answer>
    </Section>
  )
}

const Row = ({ project }: { project: Project }) => {
  const { id, name, givenId, description } = project
  const environments = useWhole('listEnvironments', { projectId: id })
  const { data: order } = useOperation('getEnvironmentOrder', { params: { id } })
  const update = useChange(
    (form: FormData) => client.updateProject({ params: { id }, body: { data: detailsIn(form) } }),
    ['listProjects', 'getProject'],
  )
  const remove = useChange(() => client.deleteProject({ params: { id } }), ['listProjects'])
  return (
    <Here value={{ projectId: id }}>
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
            <DetailsForm needs="projects:write" of={project} change={update} />
            <RemoveButton needs="projects:write" label="Delete" name={name} change={remove}>
              Its default values are deleted, too. Delete its environments, pipelines, and stacks first.
            </RemoveButton>
          </Group>
        </Group>
        {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
        <ManagedRow projectId={id} recordId={id} />
        <Stack gap={0} ps="md">
          {inOrder(environments.data ?? [], [], order ? [order.data.order] : []).map((environment) => (
            <EnvironmentRow key={environment.id} environment={environment} />
          ))}
        </Stack>
      </Stack>
    </Here>
  )
}

const EnvironmentRow = ({ environment }: { environment: Environment }) => {
  const { id, projectId, name, givenId, description } = environment
  const shows = ['listEnvironments', 'getEnvironment', 'getEnvironmentOrder'] as const
  const update = useChange(
    (form: FormData) => client.updateEnvironment({ params: { id }, body: { data: detailsIn(form) } }),
    shows,
  )
  const remove = useChange(() => client.deleteEnvironment({ params: { id } }), shows)
  return (
    <Here value={{ projectId, environmentId: id }}>
      <Group justify="space-between" py={4}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}{' '}
          <Text span c="dimmed">
            {[givenId, description].filter(Boolean).join(' · ')}
          </Text>
        </Text>
        <Group gap="xs">
          <DefaultNetworkButton of={environment} />
          <DetailsForm needs="environments:write" of={environment} change={update} />
          <RemoveButton needs="environments:write" label="Delete" name={name} change={remove}>
            Its default values and history are deleted, too. Delete everything in it first.
          </RemoveButton>
        </Group>
      </Group>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
      <ManagedRow projectId={projectId} recordId={id} />
    </Here>
  )
}
