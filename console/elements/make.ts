// What is made with a form.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";

/** Shows the page of what was made: `section` is the address of the list that has it. */
export function useMake<Given>(section: string, make: (given: Given) => Promise<{ readonly id: string }>) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: make,
    async onSuccess({ id }) {
      await queries.invalidateQueries();
      await navigate(`${section}/${encodeURIComponent(id)}`);
    },
  });
}
