import { Combobox, Group, Kbd, Modal, Stack, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../ui/error-panel.tsx'
import { IconSearch } from '../ui/icons.tsx'
import { type DisplayStatus, StatusBadge, statusStyles } from '../ui/status-badge.tsx'
import { TimeAgo } from '../ui/time.tsx'
import { parseCommand } from './commands.ts'
import { recentVisits } from './recent-visits.ts'
import { groupHits, type SearchHit, type SearchHitGroup, suggestedGroups } from './search-hits.ts'
import { useActions } from './use-actions.ts'
import { useRecordReference } from './use-record-reference.ts'

/** Half the interval between key presses of a fast typist. */
const settleMs = 120

/** Searches records, pages and commands as the user types. */
export const SearchDialog = ({ onClose }: { onClose: (how: { isChosen: boolean }) => void }) => {
  const router = useRouter()
  const [text, setText] = useState('')
  const { groups, isSettled, error } = useFound(text)
  const found = groups.flatMap((group) => group.found)
  const combobox = useCombobox({ opened: true })
  const { selectFirstOption } = combobox
  const keys = found.map(({ key }) => key).join()
  useEffect(() => {
    if (keys !== '') selectFirstOption() // so that Enter opens it
  }, [keys, selectFirstOption])
  const open = (key: string) => {
    const chosen = found.find((one) => one.key === key)
    if (!chosen) return
    onClose({ isChosen: true })
    chosen.run?.()
    if (chosen.to) router.navigate(chosen.to)
  }
  return (
    <Modal
      opened
      onClose={() => onClose({ isChosen: false })}
      withCloseButton={false}
      size="lg"
      yOffset="10vh"
      title="Search everything"
      padding="sm"
    >
      <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
        <Stack gap="sm">
          <Combobox.EventsTarget withExpandedAttribute>
            <TextInput
              data-autofocus
              role="combobox"
              aria-label="Search everything"
              placeholder="Search, or type a command such as “deploy web”"
              leftSection={<IconSearch size={16} aria-hidden />}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          </Combobox.EventsTarget>
          {error && <ErrorPanel error={errorOf(error)} />}
          <Combobox.Options mah="60vh" style={{ overflowY: 'auto' }} aria-label="Results">
            {groups.map((group) => (
              <Options key={group.label} group={group} />
            ))}
          </Combobox.Options>
          <Text role="status" size="sm" c="dimmed">
            {said(text, isSettled, found.length)}
          </Text>
        </Stack>
      </Combobox>
    </Modal>
  )
}

/** Returns the results for a text, and whether they are current. */
function useFound(text: string) {
  const [q] = useDebouncedValue(text.trim(), settleMs)
  const [seen] = useState(recentVisits)
  const command = parseCommand(q)
  const results = useOperation('search', { query: { q } }, { enabled: q !== '' })
  const services = useOperation(
    'search',
    { query: { q: command?.service ?? '', type: ['SERVICE'] } },
    { enabled: command !== undefined },
  )
  const described = useRecordReference(q)
  const actions = useActions()
  const waiting = useOperation('getInbox', {}).data?.data.waiting ?? []
  const beside = {
    actions,
    waiting,
    command,
    services: services.data?.data ?? [],
    described: described.data ?? undefined,
  }
  const groups = q === '' ? suggestedGroups(seen, beside) : groupHits(q, results.data?.data ?? [], beside)
  const isSettled = q === text.trim() && !results.isFetching && !services.isFetching && !described.isFetching
  return { groups, isSettled, error: results.error ?? described.error }
}

function said(text: string, isSettled: boolean, count: number): string {
  if (text.trim() === '')
    return 'Search for services, versions, runs, people, ARNs and IDs. All words must match, in any order.'
  if (!isSettled) return 'Searching…'
  return count === 0 ? 'No results.' : `${count} results. Press Enter to open, ↓ and ↑ to select.`
}

const Options = ({ group: { label, found } }: { group: SearchHitGroup }) => (
  <Combobox.Group label={label}>
    {found.map((one) => (
      <Combobox.Option key={one.key} value={one.key}>
        <Option found={one} />
      </Combobox.Option>
    ))}
  </Combobox.Group>
)

const isShown = (status: string): status is DisplayStatus => status in statusStyles

const Option = ({ found: { title, detail, status, at, shortcut } }: { found: SearchHit }) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={600} truncate>
        {title}
      </Text>
      {(detail || at) && (
        <Text size="xs" truncate>
          {detail}
          {at && (
            <>
              {' · '}
              <TimeAgo at={at} />
            </>
          )}
        </Text>
      )}
    </Stack>
    {shortcut !== undefined && <Kbd size="xs">{shortcut}</Kbd>}
    {status !== undefined && isShown(status) && <StatusBadge status={status} size="sm" />}
  </Group>
)
