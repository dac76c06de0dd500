import { Badge, Group, SimpleGrid, Text } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import type { Environment, ModuleInstance, ModuleInstanceStatus } from '@sluice/contract'
import { PermissionScopeContext, type Scope } from '../api/scope.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { usePermission } from '../api/use-permission.ts'
import { ManagedRow } from '../files/managed-by-files.tsx'
import { FreezeBanner } from '../freezes/freeze-banner.tsx'
import { EnvironmentHoldButtons, EnvironmentHolds } from '../holds/environment-holds.tsx'
import { useHealth } from '../services/use-health.ts'
import { requestsOf } from '../services/use-service-states.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { DefaultNetworkButton } from './default-network.tsx'
import { InstanceCard } from './instance-card.tsx'

type Narrowing = { text: string; statuses: readonly ModuleInstanceStatus[] }

type Props = { environment: Environment; project: string | undefined; wanted: Narrowing }

/** Shows an environment with a card for each module instance. */
export const EnvironmentSection = ({ environment, project, wanted }: Props) => {
  const { id, name, projectId, previewEnvironmentId } = environment
  const instances = useCompleteList('listModuleInstances', { environmentId: id, limit: 100 })
  // One request for all environments of the project.
  const services = useCompleteList('listServices', { projectId, limit: 100 })
  const here = services.data?.flatMap((service) => service.places).filter((place) => place.environmentId === id) ?? []
  const places = new Map(here.map((place) => [place.moduleInstanceId, place]))
  // Section by section: the cloud is asked about what is seen.
  const { ref, inViewport } = useInViewport()
  const healths = useHealth(inViewport ? requestsOf([...places.keys()]) : [])
  return (
    <Section
      title={[project, name].filter(Boolean).join(' / ')}
      aside={
        <Group gap="md">
          {previewEnvironmentId !== undefined && (
            <Badge variant="light" color="gray" tt="none">
              Pull request
            </Badge>
          )}
          <CreateInstance projectId={projectId} environmentId={id} />
          <DefaultNetworkButton of={environment} />
          <EnvironmentHoldButtons environment={environment} />
        </Group>
      }
    >
      <FreezeBanner scope={{ projectId, environmentId: id }} isBrief />
      <EnvironmentHolds environment={environment} />
      <ManagedRow projectId={projectId} recordId={id} />
      <div ref={ref}>
        <QueryResult of={instances} lines={2}>
          {(data) => {
            const shown = data.filter((instance) => matchesFilters(instance, wanted))
            if (data.length === 0) return <Text c="dimmed">No instances yet. Create one from a module.</Text>
            if (shown.length === 0) return <Text c="dimmed">None of {data.length} instances match.</Text>
            return (
              <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
                {shown.map((instance) => (
                  <InstanceCard
                    key={instance.id}
                    instance={instance}
                    place={places.get(instance.id)}
                    health={healths[instance.id]}
                  />
                ))}
              </SimpleGrid>
            )
          }}
        </QueryResult>
      </div>
    </Section>
  )
}

const CreateInstance = (place: Required<Scope>) => (
  <PermissionScopeContext value={place}>
    <CreateInstanceLink environmentId={place.environmentId} />
  </PermissionScopeContext>
)

const CreateInstanceLink = ({ environmentId }: { environmentId: string }) => {
  const { isAllowed } = usePermission('module-instances:write')
  if (!isAllowed) return null
  return (
    <Group gap="md">
      <TextLink to="/console/import" search={{ environmentId }} size="sm">
        Import services
      </TextLink>
      <TextLink to="/console/environments/$id/new" params={{ id: environmentId }} size="sm">
        Create instance
      </TextLink>
    </Group>
  )
}

const matchesFilters = ({ name, givenId, type, status }: ModuleInstance, { text, statuses }: Narrowing): boolean =>
  [name, givenId, type].some((one) => one.toLowerCase().includes(text)) &&
  (statuses.length === 0 || statuses.includes(status))
