import { Group, List, Text } from '@mantine/core'
import type { ModuleDefinition, ModuleInstance, ModuleVersion } from '@sluice/contract'
import { useCompleteList, usePages } from '../api/use-pages.ts'
import type { Config } from '../config-editor/config-text.ts'
import { Section } from '../ui/section.tsx'
import { Pages } from '../ui/tables/pages.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { type Impact, upgradeImpact } from './compute-impact.ts'

type Props = { definition: ModuleDefinition; versions: readonly ModuleVersion[]; config: Config }

/** Shows what an upgrade to this configuration means for each instance. Publishing alone upgrades none. */
export const UpgradeImpact = ({ definition: { id }, versions, config }: Props) => {
  const instances = usePages('listModuleInstances', { moduleDefinitionId: id, limit: 50 })
  const environments = useCompleteList('listEnvironments', {}).data
  return (
    <Section title="Impact on instances">
      <Text size="sm" c="dimmed" mb="xs">
        Instances keep their version until someone upgrades them.
      </Text>
      <Pages of={instances} empty={<Text size="sm">No instances of this module yet.</Text>}>
        {(instance) => (
          <Row
            instance={instance}
            place={environments?.find((one) => one.id === instance.environmentId)?.name}
            from={versions.find((one) => one.id === instance.moduleVersionId)}
            config={config}
          />
        )}
      </Pages>
    </Section>
  )
}

type RowProps = {
  instance: ModuleInstance
  place: string | undefined
  from: ModuleVersion | undefined
  config: Config
}

const Row = ({ instance, place, from, config }: RowProps) => {
  const lines = from ? linesOf(upgradeImpact(instance, from.config, config)) : []
  return (
    <div>
      <Group justify="space-between" gap="xs" pt="xs">
        <Text size="sm">
          <TextLink to="/console/instances/$id" params={{ id: instance.id }} size="sm" underline="always">
            {instance.name}
          </TextLink>{' '}
          {place && `· ${place}`}
        </Text>
        <Text size="sm" c="dimmed">
          {from?.version}
        </Text>
      </Group>
      <List size="sm" pb="xs" withPadding>
        {(lines.length > 0 ? lines : ['The inputs don’t change.']).map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </div>
  )
}

const linesOf = ({ needed, lost, changed }: Impact): string[] => [
  ...needed.map((id) => `Requires a value for ${id}.`),
  ...lost.map((id) => `The value for ${id} is no longer used.`),
  ...changed.map((id) => `Uses a new default for ${id}.`),
]
