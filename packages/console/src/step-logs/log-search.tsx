import { ActionIcon, Group, Text, TextInput } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconSearch } from '../ui/icons.tsx'

type Props = {
  wanted: string
  found: number
  turn: number
  onSearch: (text: string) => void
  onTurn: (by: 1 | -1) => void
}

/** Searches a log: Enter selects the next match, Shift-Enter the previous one. */
export const LogSearch = ({ wanted, found, turn, onSearch, onTurn }: Props) => (
  <Group gap={6} wrap="nowrap">
    <TextInput
      aria-label="Search log"
      placeholder="Search log"
      size="xs"
      leftSection={<IconSearch size={14} aria-hidden />}
      value={wanted}
      onChange={({ currentTarget }) => onSearch(currentTarget.value)}
      onKeyDown={({ key, shiftKey }) => key === 'Enter' && onTurn(shiftKey ? -1 : 1)}
    />
    <ActionIcon variant="default" aria-label="Previous match" disabled={found === 0} onClick={() => onTurn(-1)}>
      <IconChevronUp size={16} aria-hidden />
    </ActionIcon>
    <ActionIcon variant="default" aria-label="Next match" disabled={found === 0} onClick={() => onTurn(1)}>
      <IconChevronDown size={16} aria-hidden />
    </ActionIcon>
    <Text size="xs" c="dimmed" role="status" miw={60}>
      {wanted.trim() !== '' && (found === 0 ? 'No matches' : `${turn + 1} of ${found}`)}
    </Text>
  </Group>
)
