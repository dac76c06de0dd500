import { Button, Group, Text } from '@mantine/core'

type Props = { onStay: () => void; onDiscard: () => void }

/** Asks before discarding entries. */
export const UnsavedEntries = ({ onStay, onDiscard }: Props) => (
  <Group justify="flex-end" mt="xs" role="group" aria-label="Unsaved changes">
    <Text size="sm" role="status" me="auto">
      Your changes aren’t saved.
    </Text>
    <Button variant="default" onClick={onStay} data-autofocus>
      Keep editing
    </Button>
    <Button color="red.9" onClick={onDiscard}>
      Discard
    </Button>
  </Group>
)
