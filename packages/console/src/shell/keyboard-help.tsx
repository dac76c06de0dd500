import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'

const keys = [
  ['/ or Ctrl K', 'Search everything, or run a command such as “deploy web”'],
  ['← ↑ ↓ →', 'Move between the cards of a page; ↓ in the search field moves to the first'],
  ['Enter', 'Open the selected item'],
  ['Esc', 'Clear the search, or close what is open'],
  ['?', 'Show keyboard shortcuts'],
] as const

/** Lists keyboard shortcuts; opened with `?`. */
export const KeyboardHelp = () => {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  useHotkeys([
    ['?', toggle],
    ['shift + ?', toggle], // where the key needs it
  ])
  return (
    <Modal opened={isOpen} onClose={close} title="Keyboard shortcuts">
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
