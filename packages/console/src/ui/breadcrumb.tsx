import { Group, Text } from '@mantine/core'
import type { Environment, Project } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { useWhole } from '../api/use-pages.ts'
import { TextLink } from './text-link.tsx'

type Named = { id: string; name: string }

type Props = { project: Project | undefined; environment: Environment | undefined; service?: Named | undefined }

/** Where a page is: project, environment and, above what belongs to one, the service. */
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

/** The project and the environment that a record is in; undefined until they are known. */
export function usePlace({ projectId, environmentId }: { projectId: string; environmentId: string }) {
  const project = useOperation('getProject', { params: { id: projectId } }, { staleTime: 60_000 }).data?.data
  const environments = useWhole('listEnvironments', { limit: 100 }).data
  return { project, environment: environments?.find(({ id }) => id === environmentId) }
}
