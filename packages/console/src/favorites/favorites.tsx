import { Group, Stack, Text } from '@mantine/core'
import type { Favourite } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
import { ServiceStatus } from '../services/service-status.tsx'
import { useServiceStates } from '../services/use-service-states.ts'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'

const pages = {
  SERVICE: '/console/instances/$id',
  PIPELINE: '/console/pipelines/$id',
  PROJECT: '/console/projects/$id',
} as const satisfies Record<Favourite['type'], string>

/** Lists the member's favorites; nothing if there are none. */
export const Favorites = () => {
  const { data } = useOperation('listFavourites', {})
  const services = data?.data.filter(({ type }) => type === 'SERVICE') ?? []
  const { places, healths } = useServiceStates(services.map(({ id }) => id))
  if (!data || data.data.length === 0) return null
  return (
    <Section title="Favorites">
      <Stack gap="xs">
        {data.data.map(({ type, id, title, detail }) => (
          <div key={id}>
            <Group gap="xs" wrap="nowrap">
              <TextLink to={pages[type]} params={{ id }} truncate>
                {title}
              </TextLink>
              <Text size="sm" c="dimmed" truncate>
                {detail}
              </Text>
            </Group>
            {places[id] && <ServiceStatus place={places[id]} health={healths[id]} isInline />}
          </div>
        ))}
      </Stack>
    </Section>
  )
}
