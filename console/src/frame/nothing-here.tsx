import { Link } from '@tanstack/react-router'

export function NothingHere() {
  return (
    <div className="page">
      <h1>Nothing here</h1>
      <p className="lead">
        There is no page at this address. <Link to="/">Home</Link>
      </p>
    </div>
  )
}
