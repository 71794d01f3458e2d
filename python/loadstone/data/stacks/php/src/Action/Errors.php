<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Message;
use Olio\Response;
use Olio\Site;

/** Answers to what did not work. */
final class Errors extends Action
{
    public function show(int $status): Response
    {
        [$title, $sentence] = Site::ERRORS[$status];
        $content = $this->view->part('error', ['title' => $title, 'sentence' => $sentence]);
        return $this->page($title, 'error', "error:$status", $content)->withStatus($status);
    }

    /** Sends somebody who must log in to do so. */
    public function login(): Response
    {
        return $this->redirect('/users/login', Message::LoginNeeded);
    }
}
