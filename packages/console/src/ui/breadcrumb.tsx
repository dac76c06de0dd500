import { Group, Text } from '@mantine/core'
import type { Environment, Project } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { TextLink } from './text-link.tsx'

type Named = { id: string; name: string }

type Props = { project: Project | undefined; environment: Environment | undefined; service?: Named | undefined }

/** Shows the path to a page: project, environment and service. */
export const Breadcrumb = ({ project, environment, service }: Props) => (
  <Group component="nav" aria-label="Breadcrumb" gap={6}>
    {project && (
      <TextLink to="/console/projects/$id" params={{ id: project.id }} size="sm">
        {project.name}
      </TextLink>
    )}
    {environment && <Text size="sm">/ {environment.name}</Text>}
    {service && (
      <Text size="sm" component="span">
        /{' '}
        <TextLink to="/console/instances/$id" params={{ id: service.id }} size="sm">
          {service.name}
        </TextLink>
      </Text>
    )}
  </Group>
)

/** Returns the project and environment of a record; undefined while loading. */
export function useScopeNames({ projectId, environmentId }: { projectId: string; environmentId: string }) {
  const project = useOperation('getProject', { params: { id: projectId } }, { staleTime: 60_000 }).data?.data
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data
  return { project, environment: environments?.find(({ id }) => id === environmentId) }
}
