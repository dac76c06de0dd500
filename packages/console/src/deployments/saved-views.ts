import type { SavedView, UpdateSavedViews } from '@sluice/contract'
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router'
import { type DeploymentSearch, parseDeploymentSearch } from './deployment-filters.ts'

type OwnView = UpdateSavedViews['views'][number]

/** Returns the filters, order and columns of a saved view. */
export const searchOfView = ({ search }: Pick<SavedView, 'search'>): DeploymentSearch =>
  parseDeploymentSearch(defaultParseSearch(search))

/** Returns the view that shows exactly this; the caller's own if others share the same. */
export const currentView = (views: readonly SavedView[], search: DeploymentSearch): SavedView | undefined =>
  views.find((view) => defaultStringifySearch(searchOfView(view)) === defaultStringifySearch(search))

/** Returns the caller's views with this one as the last. It replaces a view of the same name. */
export const withView = (
  views: readonly SavedView[],
  { name, isShared, search }: Omit<OwnView, 'search'> & { search: DeploymentSearch },
): OwnView[] => [
  ...withoutView(views, name),
  { name, isShared, search: defaultStringifySearch(search).replace(/^\?/, '') },
]

/** Returns the caller's views without the one of this name. */
export const withoutView = (views: readonly SavedView[], removed: string): OwnView[] =>
  views
    .filter(({ isOwn, name }) => isOwn && name !== removed)
    .map(({ name, search, isShared }) => ({ name, search, isShared }))
