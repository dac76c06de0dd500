import { ActionIcon } from '@mantine/core'
import { client } from '../api/client.ts'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useOperation } from '../api/use-operation.ts'
import { IconStar, IconStarFilled } from '../ui/icons.tsx'

/** Adds a record to the member's favorites or removes it. The newest favorite is last. */
export const FavoriteButton = ({ id, name }: { id: string; name: string }) => {
  const favourites = useOperation('listFavourites', {})
  const change = useApiMutation(
    (ids: string[]) => client.updateFavourites({ body: { data: { ids } } }),
    ['listFavourites'],
  )
  const ids = favourites.data?.data.map((one) => one.id)
  if (!ids) return null
  const isFavourite = ids.includes(id)
  return (
    <ActionIcon
      variant="subtle"
      color={isFavourite ? 'yellow' : 'gray'}
      aria-label={`Favorite: ${name}`}
      aria-pressed={isFavourite}
      loading={change.isPending}
      onClick={() => change.mutate(isFavourite ? ids.filter((one) => one !== id) : [...ids, id])}
    >
      {isFavourite ? <IconStarFilled size={18} aria-hidden /> : <IconStar size={18} aria-hidden />}
    </ActionIcon>
  )
}
