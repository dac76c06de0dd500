import { Card, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { Environment, ModuleInstance } from '@sluice/contract'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import { Section } from '../ui/section.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Every environment with what stands in it. */
export const Environments = () => {
  const [wanted, setWanted] = useState('')
  const environments = useOperation('listEnvironments', { query: { limit: 100 } })
  return (
    <Stack gap="lg">
      <PageTitle
        title="Environments"
        aside={
          <TextInput
            aria-label="Filter module instances"
            placeholder="Filter by name or type"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
          />
        }
      />
      <Answer of={environments}>
        {({ data }) =>
          data.length === 0 ? (
            <Notice title="There is no environment yet">An admin creates projects and environments.</Notice>
          ) : (
            data.map((environment) => <Instances key={environment.id} environment={environment} wanted={wanted} />)
          )
        }
      </Answer>
    </Stack>
  )
}

const Instances = ({ environment, wanted }: { environment: Environment; wanted: string }) => {
  const instances = useOperation('listModuleInstances', { query: { environmentId: environment.id, limit: 100 } })
  return (
    <Section title={environment.name}>
      <Answer of={instances} lines={2}>
        {({ data }) => {
          const shown = data.filter((instance) => isWanted(instance, wanted))
          if (shown.length === 0)
            return <Text c="dimmed">{data.length === 0 ? 'Nothing stands here.' : 'No match.'}</Text>
          return (
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
              {shown.map((instance) => (
                <InstanceCard key={instance.id} instance={instance} />
              ))}
            </SimpleGrid>
          )
        }}
      </Answer>
    </Section>
  )
}

const isWanted = ({ name, givenId, type }: ModuleInstance, wanted: string): boolean =>
  [name, givenId, type].some((text) => text.toLowerCase().includes(wanted.trim().toLowerCase()))

const InstanceCard = ({ instance: { id, name, type, status, description } }: { instance: ModuleInstance }) => (
  <Card withBorder padding="md">
    <Group justify="space-between" wrap="nowrap">
      <TextLink to="/console/instances/$id" params={{ id }} fw={600} truncate>
        {name}
      </TextLink>
      <StatusBadge status={status} size="sm" />
    </Group>
    <Text size="sm" c="dimmed">
      {type}
    </Text>
    {description && (
      <Text size="sm" mt="xs" lineClamp={2}>
        {description}
      </Text>
    )}
  </Card>
)
