import { Group, Stack, Text } from '@mantine/core'
import type { Favourite } from '@sluice/contract'
import { useOperation } from '../api/use-operation.ts'
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
  if (!data || data.data.length === 0) return null
  return (
    <Section title="Favorites">
      <Stack gap={4}>
        {data.data.map(({ type, id, title, detail }) => (
          <Group key={id} gap="xs" wrap="nowrap">
            <TextLink to={pages[type]} params={{ id }} truncate>
              {title}
            </TextLink>
            <Text size="sm" c="dimmed" truncate>
              {detail}
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  )
}
