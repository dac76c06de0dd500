import { Badge, Group, Text } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import type { Environment, ModuleInstanceStatus, ServiceInEnvironment } from '@sluice/contract'
import { useRef } from 'react'
import { PermissionScopeContext, type Scope } from '../api/scope.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { usePermission } from '../api/use-permission.ts'
import { ManagedRow } from '../files/managed-by-files.tsx'
import { FreezeBanner } from '../freezes/freeze-banner.tsx'
import { EnvironmentHoldButtons, EnvironmentHolds } from '../holds/environment-holds.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { DefaultNetworkButton } from './default-network.tsx'
import { InstanceCards } from './instance-cards.tsx'

type Narrowing = { text: string; statuses: readonly ModuleInstanceStatus[] }

type Props = { environment: Environment; projectName: string; wanted: Narrowing }

/** Shows an environment with a card for each module instance. Loads them when it comes near the window. */
export const EnvironmentSection = ({ environment, projectName, wanted }: Props) => {
  const { id, name, projectId, previewEnvironmentId } = environment
  const { ref, inViewport } = useInViewport()
  const wasSeen = useRef(false)
  wasSeen.current ||= inViewport
  // One request for all environments of the project.
  const services = useCompleteList('listServices', { projectId, limit: 100 }, { enabled: wasSeen.current })
  return (
    <Section
      title={name}
      label={`${name} of ${projectName}`}
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
        <QueryResult of={services} lines={2}>
          {(data) => {
            const here = data.flatMap(({ givenId, places }) =>
              places.flatMap((place) => (place.environmentId === id ? [{ givenId, place }] : [])),
            )
            const shown = here.filter((one) => matchesFilters(one, wanted)).map(({ place }) => place)
            if (here.length === 0) return <Text c="dimmed">No instances yet. Create one from a module.</Text>
            if (shown.length === 0) return <Text c="dimmed">None of {here.length} instances match.</Text>
            return <InstanceCards places={shown} isVisible={inViewport} />
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

type Placed = { givenId: string; place: ServiceInEnvironment }

const matchesFilters = ({ givenId, place: { name, type, status } }: Placed, { text, statuses }: Narrowing): boolean =>
  [name, givenId, type].some((one) => one.toLowerCase().includes(text)) &&
  (statuses.length === 0 || statuses.includes(status))
