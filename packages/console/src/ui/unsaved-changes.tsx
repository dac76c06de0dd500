import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

/** Asks whoever leaves a page on which something was entered that is not saved. */
export const UnsavedChanges = ({ are }: { are: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    // Another part of the same page may show what was entered just as well.
    shouldBlockFn: ({ current, next }) => are && current.pathname !== next.pathname,
    enableBeforeUnload: are,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving?">
      <Text size="sm">What you entered on this page is not saved.</Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => reset?.()} data-autofocus>
          Stay
        </Button>
        <Button color="red.9" onClick={() => proceed?.()}>
          Leave
        </Button>
      </Group>
    </Modal>
  )
}
