import { Group, Select, Stack, Text } from '@mantine/core'
import type { ModuleVersion } from '@sluice/contract'
import { useState } from 'react'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { formatConfig } from '../config-editor/config-text.ts'
import { TextDiff } from '../config-editor/text-diff.tsx'
import { RemoveButton } from '../ui/buttons/remove-button.tsx'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { Rows } from '../ui/tables/rows.tsx'
import { TimeAgo } from '../ui/time.tsx'

type Props = { versions: readonly ModuleVersion[]; isOwn: boolean }

/** Lists the versions of a module, newest first, and compares any two. */
export default function Versions({ versions, isOwn }: Props) {
  const all = versions.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  const [newerId, setNewer] = useState(all[0]?.id)
  const [olderId, setOlder] = useState((all[1] ?? all[0])?.id)
  const newer = all.find(({ id }) => id === newerId)
  const older = all.find(({ id }) => id === olderId)
  if (all.length === 0) return <Notice title="No versions yet">Write the first version under Configuration.</Notice>
  const choices = all.map(({ id, version }) => ({ value: id, label: version }))
  return (
    <Stack gap="lg">
      <Section title="History">
        <Rows of={all} empty={null}>
          {(version) => <Row version={version} isOwn={isOwn} />}
        </Rows>
      </Section>
      <Section title="Compare">
        <Stack gap="sm">
          <Group gap="sm">
            <Choice label="From" choices={choices} value={olderId} onChange={setOlder} />
            <Choice label="To" choices={choices} value={newerId} onChange={setNewer} />
          </Group>
          {older && newer && older.id !== newer.id ? (
            <TextDiff
              key={`${older.id} ${newer.id}`}
              before={formatConfig(older.config)}
              after={formatConfig(newer.config)}
            />
          ) : (
            <Text c="dimmed">Select two versions to compare them.</Text>
          )}
        </Stack>
      </Section>
    </Stack>
  )
}

const Row = ({
  version: { id, version, description, createdAt },
  isOwn,
}: {
  version: ModuleVersion
  isOwn: boolean
}) => {
  const remove = useApiMutation(
    () => client.deleteModuleVersion({ params: { id } }),
    ['listModuleVersions', 'listModuleDefinitions', 'getModuleDefinition'],
  )
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" py="xs">
        <div>
          <Text fw={600}>
            {version}{' '}
            <Text span size="sm" c="dimmed">
              <TimeAgo at={createdAt} />
            </Text>
          </Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {description}
          </Text>
        </div>
        {isOwn && (
          <RemoveButton permission="module-definitions:write" label="Delete" name={version} change={remove}>
            A version can be deleted only while no instance uses it. Its number can then be published again.
          </RemoveButton>
        )}
      </Group>
      {remove.error && <ErrorPanel error={errorOf(remove.error)} />}
    </div>
  )
}

type ChoiceProps = {
  label: string
  choices: { value: string; label: string }[]
  value: string | undefined
  onChange: (id: string | undefined) => void
}

const Choice = ({ label, choices, value, onChange }: ChoiceProps) => (
  <Select
    label={label}
    w={140}
    allowDeselect={false}
    data={choices}
    value={value ?? null}
    onChange={(id) => onChange(id ?? undefined)}
  />
)
