import { SimpleGrid, Text } from '@mantine/core'
import type { Deployment, Environment, ModuleInstance, ModuleInstanceStatus } from '@sluice/contract'
import { Here, type Place } from '../api/place.ts'
import { useMay } from '../api/use-may.ts'
import { useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { InstanceCard } from './instance-card.tsx'

export type Wanted = { text: string; statuses: readonly ModuleInstanceStatus[] }

type Props = { environment: Environment; project: string | undefined; wanted: Wanted }

/** An environment with a card for each of its module instances. */
export const EnvironmentSection = ({ environment: { id, name, projectId }, project, wanted }: Props) => {
  const instances = useOperation('listModuleInstances', { query: { environmentId: id, limit: 100 } })
  const deployments = useOperation('listDeployments', { query: { environmentId: id, limit: 100 } })
  const latest = latestOfEach(deployments.data?.data ?? [])
  return (
    <Section
      title={[project, name].filter(Boolean).join(' / ')}
      aside={<PlaceModule projectId={projectId} environmentId={id} />}
    >
      <Answer of={instances} lines={2}>
        {({ data }) => {
          const shown = data.filter((instance) => isWanted(instance, wanted))
          if (data.length === 0) return <Text c="dimmed">Nothing stands here yet. Place a module to begin.</Text>
          if (shown.length === 0) return <Text c="dimmed">No match among {data.length}.</Text>
          return (
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
              {shown.map((instance) => (
                <InstanceCard key={instance.id} instance={instance} latest={latest.get(instance.id)} />
              ))}
            </SimpleGrid>
          )
        }}
      </Answer>
    </Section>
  )
}

const PlaceModule = (place: Required<Place>) => (
  <Here value={place}>
    <PlaceModuleLink environmentId={place.environmentId} />
  </Here>
)

const PlaceModuleLink = ({ environmentId }: { environmentId: string }) => {
  const { isAllowed } = useMay('module-instances:write')
  if (!isAllowed) return null
  return (
    <TextLink to="/console/environments/$id/new" params={{ id: environmentId }} size="sm">
      Place a module
    </TextLink>
  )
}

/** The list begins with the newest. */
const latestOfEach = (deployments: readonly Deployment[]): Map<string, Deployment> =>
  new Map(deployments.toReversed().map((deployment) => [deployment.moduleInstanceId, deployment]))

const isWanted = ({ name, givenId, type, status }: ModuleInstance, { text, statuses }: Wanted): boolean =>
  [name, givenId, type].some((one) => one.toLowerCase().includes(text)) &&
  (statuses.length === 0 || statuses.includes(status))
