import { Group, Kbd, Modal, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { areShortcutsOn, commandShortcuts, pageShortcuts, storeShortcutsOn } from '../commands/shortcuts.ts'
import { useShortcuts } from '../commands/use-shortcuts.ts'
import { keyboardHelpEvent } from './open-keyboard-help.ts'

type Shortcut = { keys: readonly string[]; use: string }

const everywhere: readonly Shortcut[] = [
  { keys: ['/'], use: 'Search everything, or run a command' },
  { keys: ['Ctrl', 'K'], use: 'The same, also in a text field' },
  { keys: ['?'], use: 'Show keyboard shortcuts' },
  { keys: ['Esc'], use: 'Clear the search, or close what is open' },
  { keys: ['↑', '↓'], use: 'Move between the cards of a page' },
  { keys: ['Enter'], use: 'Open or press what is selected' },
]

const pages: readonly Shortcut[] = pageShortcuts.map(({ key, label }) => ({
  keys: ['G', key.toUpperCase()],
  use: label,
}))

const buttons: readonly Shortcut[] = commandShortcuts.map(({ key, label }) => ({
  keys: [key.toUpperCase()],
  use: label,
}))

/** Handles keyboard shortcuts, and lists them when `?` is pressed. */
export const KeyboardHelp = () => {
  const [isOpen, { toggle, open, close }] = useDisclosure(false)
  useShortcuts()
  useHotkeys([
    ['?', toggle],
    ['shift + ?', toggle], // where the key needs it
  ])
  useEffect(() => {
    window.addEventListener(keyboardHelpEvent, open)
    return () => window.removeEventListener(keyboardHelpEvent, open)
  }, [open])
  return (
    <Modal opened={isOpen} onClose={close} title="Keyboard shortcuts" size="xl">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
        <Stack gap="lg">
          <Shortcuts title="Everywhere" of={everywhere} />
          <SingleKeys />
        </Stack>
        <Stack gap="lg">
          <Shortcuts title="Go to a page" of={pages} />
          <Shortcuts title="Move to a button of the page" of={buttons} />
        </Stack>
      </SimpleGrid>
    </Modal>
  )
}

const Shortcuts = ({ title, of }: { title: string; of: readonly Shortcut[] }) => (
  <section aria-label={title}>
    <Title order={3} size="h6" mb="xs">
      {title}
    </Title>
    <Stack gap={6}>
      {of.map(({ keys, use }) => (
        <Group key={use} justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm">{use}</Text>
          <Group gap={4} wrap="nowrap">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </Group>
        </Group>
      ))}
    </Stack>
  </section>
)

/** Turns single-key shortcuts off for people whose speech input or habits conflict with them. */
const SingleKeys = () => {
  const [isOn, setOn] = useState(areShortcutsOn)
  return (
    <Switch
      label="Single-key shortcuts"
      description="Keys without Ctrl open pages and move to buttons. The setting applies to this browser."
      checked={isOn}
      onChange={({ currentTarget }) => {
        storeShortcutsOn(currentTarget.checked)
        setOn(currentTarget.checked)
      }}
    />
  )
}
