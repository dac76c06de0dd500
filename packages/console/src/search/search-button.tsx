import { Button, Kbd } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'

const SearchDialog = lazy(() => import('./search-dialog.tsx').then((module) => ({ default: module.SearchDialog })))

/** The search of everything, from every page: `/` or Ctrl-K. */
export const SearchButton = () => {
  const [isOpen, { open, close }] = useDisclosure(false)
  useHotkeys([['/', open]])
  useHotkeys([['mod + K', open]], []) // in fields as well
  return (
    <>
      <Button
        variant="default"
        px={{ base: 8, md: 'sm' }}
        aria-keyshortcuts="/ Control+K"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" visibleFrom="md">
            Ctrl K
          </Kbd>
        }
        onClick={open}
      >
        Search
      </Button>
      <Suspense>{isOpen && <SearchDialog onClose={close} />}</Suspense>
    </>
  )
}
