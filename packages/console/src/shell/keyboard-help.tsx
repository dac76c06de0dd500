import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'

const keys = [
  ['/ or Ctrl K', 'Search everything; “release web” leads to where it is released'],
  ['← ↑ ↓ →', 'Move among the cards of a page; ↓ in its search leads to the first'],
  ['Enter', 'Open what is selected'],
  ['Esc', 'Empty the search, close what is open'],
  ['?', 'This help'],
] as const

/** What the keyboard does here; `?` shows it. */
export const KeyboardHelp = () => {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  useHotkeys([
    ['?', toggle],
    ['shift + ?', toggle], // where the key needs it
  ])
  return (
    <Modal opened={isOpen} onClose={close} title="Keyboard">
      <Stack gap="sm">
        {keys.map(([key, use]) => (
          <Group key={key} justify="space-between">
            <Text size="sm">{use}</Text>
            <Kbd>{key}</Kbd>
          </Group>
        ))}
      </Stack>
    </Modal>
  )
}
